// Kinds of tokens and names of cuts in GGUF files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dreamgym/llm/tokenizers/pre_tokenizer.h"

namespace dreamgym {

enum class GgufTokenType : std::int64_t {
  kNormal = 1,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5
};

inline std::optional<PreTokenizer> gguf_cut(std::string_view pre) {
  if (pre == "gpt-2") {
    return PreTokenizer::kGpt2;
  }
  if (pre == "smollm") {
    return PreTokenizer::kSmolLm2;
  }
  if (pre == "llama-bpe" || pre == "llama3" || pre == "llama-v3") {
    return PreTokenizer::kLlama3;
  }
  return pre == "qwen2" ? std::optional(PreTokenizer::kQwen2) : std::nullopt;
}

inline std::string_view gguf_cut_name(PreTokenizer cut) {
  switch (cut) {
    case PreTokenizer::kGpt2:
      return "gpt-2";
    case PreTokenizer::kSmolLm2:
      return "smollm";
    case PreTokenizer::kLlama3:
      return "llama-bpe";
    case PreTokenizer::kQwen2:
      return "qwen2";
  }
  return "";
}

}  // namespace dreamgym
