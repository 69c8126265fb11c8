#!/usr/bin/env bash
# clang-tidy on changed .cc files (committed since BASE, or not yet): BASE=main tools/tidy.sh
# Or on the files named: tools/tidy.sh dreamgym/base/text.cc
#
# Reads how files are compiled from BUILD (default build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
base=${BASE:-HEAD~1}

command -v clang-tidy-19 >/dev/null || {
  echo "tidy: clang-tidy-19 is not installed; run LINT=1 tools/setup.sh" >&2
  exit 1
}
[[ -f $build/compile_commands.json ]] || {
  echo "tidy: no $build/compile_commands.json; run make build or set BUILD" >&2
  exit 1
}
if [[ $# -gt 0 ]]; then
  files=("$@")
else
  mapfile -t files < <({
    git diff --name-only --diff-filter=d "$base" -- '*.cc'
    git ls-files --others --exclude-standard -- '*.cc'
  } | sort -u)
fi
if [[ ${#files[@]} == 0 ]]; then
  echo "tidy: no .cc file changed since $base"
  exit 0
fi
echo "tidy: ${#files[@]} files"
# The build's precompiled header is GCC's; clang reads its sources instead.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" clang-tidy-19 -p "$build" --quiet \
    --extra-arg=-Wno-ignored-gch --extra-arg=-Wno-unknown-warning-option
