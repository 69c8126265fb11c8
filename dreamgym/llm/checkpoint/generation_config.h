// generation_config.json: how the makers of a model mean it to be sampled.
// Pure. Thread safety: reentrant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

struct GenerationConfig {
  std::optional<TokenId> begin_token;
  std::vector<TokenId> end_tokens;  ///< each of them ends a reply
  std::optional<TokenId> pad_token;
  bool sample = false;  ///< false: greedy
  double temperature = 1.0;
  double top_p = 1.0;
  int top_k = 0;  ///< 0: all
  double repetition_penalty = 1.0;
  bool operator==(const GenerationConfig&) const = default;
};

/// @param where  the file's name, for messages.
/// @throws Error kParse (not JSON, wrong type), kInvalidArgument (a value out of range).
GenerationConfig generation_config_from_json(const std::string& text, const std::string& where);
std::string generation_config_to_json(const GenerationConfig& config);

}  // namespace dreamgym
