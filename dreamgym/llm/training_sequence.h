// What a model is taught by supervised learning: tokens with a weight and a named part of the loss.
//
// A sequence is a trunk and branches that leave it: branch b continues trunk[0, trunk_end). So the
// steps of an episode share their history and each adds only its retrieved demonstrations and its
// target (paper Eq. 5 with D_k present). A sequence without branches is an ordinary text.
// Thread safety: values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Which term of a loss a token belongs to; reported apart.
enum class LossPart : std::uint8_t {
  kNone,    ///< only read
  kTrace,   ///< reasoning trace R_t (first term of Eq. 5)
  kState,   ///< next state and end flag (second term of Eq. 5)
  kAction,  ///< an agent's action
  kTask,    ///< a proposed task
  kText,    ///< plain language modelling
};
inline constexpr std::size_t kNumLossParts = 6;

struct TokenRun {
  std::vector<TokenId> tokens;
  std::vector<float> weights;   ///< [tokens.size()], >= 0; 0 = no loss on this token
  std::vector<LossPart> parts;  ///< [tokens.size()]

  void append(std::span<const TokenId> ids, LossPart part, float weight);
  void append(TokenId id, LossPart part, float weight);
  [[nodiscard]] std::size_t size() const { return tokens.size(); }
  bool operator==(const TokenRun&) const = default;
};

struct TrainingSequence {
  TokenRun trunk;
  struct Branch {
    std::size_t trunk_end = 0;  ///< trunk tokens before it, in [1, trunk.size()]
    TokenRun run;
    bool operator==(const Branch&) const = default;
  };
  std::vector<Branch> branches;

  [[nodiscard]] std::size_t num_tokens() const;
  bool operator==(const TrainingSequence&) const = default;
};

}  // namespace dreamgym
