// How an agent's side of an episode reads as tokens, append-only: a first context, then by turns an
// action and what came back.
//
// Thread safety: const members are reentrant.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/llm/training_sequence.h"

namespace dreamgym {

class TurnPrompt {
 public:
  virtual ~TurnPrompt() = default;
  /// Context of the first turn, up to where the action begins.
  [[nodiscard]] virtual std::vector<TokenId> begin(std::string_view instruction,
                                                   std::string_view observation) const = 0;
  /// An action as the policy would write it, the closing token included.
  [[nodiscard]] virtual std::vector<TokenId> action(std::string_view action) const = 0;
  /// What follows an action, up to where the next one begins.
  [[nodiscard]] virtual std::vector<TokenId> observation(std::string_view observation,
                                                         std::string_view instruction) const = 0;
  /// The action text of a sampled turn (closing token stripped).
  [[nodiscard]] virtual Action parse_action(std::span<const TokenId> sampled) const = 0;
  /// The token that closes an action.
  [[nodiscard]] virtual TokenId stop() const = 0;
  [[nodiscard]] virtual const Tokenizer& tokenizer() const = 0;

  /// A demonstration to imitate: loss, times `weight`, on the actions only. Steps beyond max_tokens
  /// are left out.
  [[nodiscard]] TrainingSequence demonstration(const Trajectory& trajectory,
                                               std::size_t max_tokens,
                                               double weight = 1.0) const;
};

}  // namespace dreamgym
