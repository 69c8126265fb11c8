// The agent's side of the conversation in the markers of our own models.
//
// <|agent|><|task|>instruction<|state|>first observation<|action|>a<|observation|>o<|action|>...
// The sampled part of a turn is the action and the <|observation|> marker that closes it.
// Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "dreamgym/agent/turn_prompt.h"

namespace dreamgym {

class AgentPrompt final : public TurnPrompt {
 public:
  /// @throws Error kUnsupported if the tokenizer lacks one of the markers.
  explicit AgentPrompt(std::shared_ptr<const Tokenizer> tokenizer);

  /// Context of the first turn, up to and including <|action|>.
  [[nodiscard]] std::vector<TokenId> begin(std::string_view instruction,
                                           std::string_view observation) const override;
  /// An action as the policy would write it, closing marker included.
  [[nodiscard]] std::vector<TokenId> action(std::string_view action) const override;
  /// What follows an action: the observation, the task once more (a small model does not look back a
  /// thousand tokens to find out what it wants) and the next <|action|>.
  [[nodiscard]] std::vector<TokenId> observation(std::string_view observation,
                                                 std::string_view instruction) const override;
  /// The action text of a sampled turn (closing marker stripped).
  [[nodiscard]] Action parse_action(std::span<const TokenId> sampled) const override;
  /// The marker that closes an action.
  [[nodiscard]] TokenId stop() const override { return observation_; }

  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  TokenId agent_, task_, state_, action_, observation_;
};

}  // namespace dreamgym
