#!/usr/bin/env bash
# Makes a Debian 12 machine ready to build: packages from the distribution, and libtorch unpacked
# from its pinned wheel. Does only what is missing; a second run takes less than a second.
#
#   tools/setup.sh          what the build and the tests need
#   CUDA=1 tools/setup.sh   also what the same program needs to use NVIDIA GPUs (2.1 GB more)
#   LINT=1 tools/setup.sh   also what `make tidy`, `make format` need
#
# libtorch goes to ${DREAMGYM_CACHE:-$HOME/.cache/dreamgym}/torch-2.15.0-cpu, outside the checkout,
# so that it survives `make clean` and serves every clone.
set -euo pipefail

packages=(
  make g++ cmake ninja-build ccache pkg-config git ca-certificates unzip python3-pip
  nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libspdlog-dev libfmt-dev
  libgtest-dev libbenchmark-dev libsqlite3-dev libpcre2-dev libutf8proc-dev libicu-dev zlib1g-dev
  libjemalloc-dev libcurl4-openssl-dev libfaiss-dev libblas-dev liblapack-dev
  libjs-chart.js
)
if [[ ${LINT:-0} == 1 ]]; then
  packages+=(clang-19 libclang-rt-19-dev clang-tidy-19 clang-format-19)
fi

torch_version=2.15.0
cpu_wheels=(torch==$torch_version nvidia-cuda-runtime==13.2.86 nvidia-cuda-cupti==13.2.86)
cuda_wheels=(
  nvidia-cublas==13.4.1.3 nvidia-cuda-nvrtc==13.2.86 nvidia-cudnn-cu13==9.26.0.51
  nvidia-cufft==12.2.0.57 nvidia-cufile==1.17.1.22 nvidia-cusolver==12.2.0.11
  nvidia-cusparse==12.7.10.12 nvidia-cusparselt-cu13==0.8.1 nvidia-nccl-cu13==2.30.7
  nvidia-nvjitlink==13.5.37 nvidia-nvshmem-cu13==3.7.2
)
# The wheels' own tags, so that the choice does not depend on which Python runs pip.
platforms=(
  manylinux_2_28_x86_64 manylinux_2_27_x86_64 manylinux_2_25_x86_64 manylinux_2_18_x86_64
  manylinux2014_x86_64 manylinux_2_17_x86_64 manylinux2010_x86_64 manylinux_2_12_x86_64
)

say() { printf 'setup: %s\n' "$*"; }

# give_up MESSAGE [HINT]
give_up() {
  printf 'setup: error: %s\n' "$1" >&2
  [[ -n ${2:-} ]] && printf '  hint: %s\n' "$2" >&2
  exit 1
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null ||
    give_up "this is no Debian system (no dpkg-query)" \
      "install what corresponds to these Debian 12 packages, then run make build: ${packages[*]}"
  local missing=() package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if [[ ${#missing[@]} == 0 ]]; then
    say "all ${#packages[@]} packages are installed"
    return
  fi
  if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
    give_up "packages are missing, and this is neither root nor is there sudo: ${missing[*]}" \
      "as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  as_root "${apt[@]}" update ||
    give_up "apt-get update failed" "check the network and /etc/apt/sources.list"
  as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    give_up "apt-get could not install: ${missing[*]}" \
      "these are names of Debian 12; other releases may call them differently"
}

# Prints a Python whose pip works; the first one on PATH may have none.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  give_up "no python3 with pip, needed to fetch libtorch" "apt-get install python3-pip"
}

# fetch_torch FOLDER
fetch_torch() {
  local folder=$1 cuda=${CUDA:-0}
  local stamp=$folder/.done-$cuda
  if [[ -f $stamp && -f $folder/torch/lib/libtorch_cpu.so ]]; then
    say "libtorch $torch_version is in $folder"
    return
  fi
  [[ $(uname -m) == x86_64 ]] ||
    give_up "the pinned libtorch is for x86_64, this machine is $(uname -m)" \
      "configure with -DDREAMGYM_TORCH_ROOT=FOLDER for a libtorch of your own"
  local wheels=("${cpu_wheels[@]}") needed_mib=1200
  if [[ $cuda == 1 ]]; then
    wheels+=("${cuda_wheels[@]}")
    needed_mib=8000
  fi
  mkdir -p "$folder" || give_up "can't make $folder" "set DREAMGYM_CACHE to a folder you can write"
  exec 9>"$folder/.lock"
  flock 9
  [[ -f $stamp ]] && return  # another run was faster

  local free_mib
  free_mib=$(df --output=avail -m "$folder" | tail -n 1 | tr -d " ")
  ((free_mib >= needed_mib)) ||
    give_up "$folder has $free_mib MiB free, $needed_mib MiB are needed" \
      "free some space or set DREAMGYM_CACHE to a folder elsewhere"
  download=$(mktemp -d "$folder/.download.XXXXXX")
  trap 'rm -rf "$download"' EXIT

  say "downloading libtorch $torch_version ($([[ $cuda == 1 ]] && echo 2.7 GB || echo 553 MB))"
  local python arguments=() platform
  python=$(find_python)
  for platform in "${platforms[@]}"; do
    arguments+=(--platform "$platform")
  done
  "$python" -m pip download --quiet --no-cache-dir --no-deps --only-binary=:all: \
    --python-version 3.11 "${arguments[@]}" --dest "$download" "${wheels[@]}" ||
    give_up "pip could not download ${wheels[*]}" "check the network, then run this again"

  say "unpacking into $folder"
  unpack_wheels "$folder" "$cuda" ||
    give_up "could not unpack libtorch into $folder" "check the disk space, then run this again"
  # With the CUDA libraries the CPU ones are there too.
  touch "$folder/.done-0" "$stamp"
  say "libtorch $torch_version is in $folder"
}

# unpack_wheels FOLDER CUDA: only headers and the libraries that get linked or loaded.
unpack_wheels() {
  local folder=$1 cuda=$2 wheel
  if [[ $cuda == 1 ]]; then
    for wheel in "$download"/nvidia_*.whl; do
      unzip -q -o "$wheel" 'nvidia/*' -d "$folder" || return 1
    done
    unzip -q -o "$download"/torch-*.whl 'torch/include/*' 'torch/lib/*' \
      -x torch/lib/libtorch_python.so -d "$folder"
  else
    unzip -q -o "$download"/nvidia_cuda_runtime-*.whl nvidia/cu13/lib/libcudart.so.13 \
      -d "$folder" &&
      unzip -q -o "$download"/nvidia_cuda_cupti-*.whl nvidia/cu13/lib/libcupti.so.13 \
        -d "$folder" &&
      unzip -q -o "$download"/torch-*.whl 'torch/include/*' torch/lib/libc10.so \
        torch/lib/libtorch_cpu.so torch/lib/libgomp.so.1 -d "$folder"
  fi
}

install_packages
fetch_torch "${DREAMGYM_CACHE:-$HOME/.cache/dreamgym}/torch-$torch_version-cpu"
