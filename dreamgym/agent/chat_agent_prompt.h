// The agent's side of an episode as a conversation in a pretrained model's own chat format.
//
// system: the rules; user: task and first observation; assistant: action; user: observation; ...
// The sampled part of a turn is the action and the token that ends the assistant's turn. Ids are
// those of the whole conversation as its template renders it, so that what was learnt in such
// conversations applies. Deviation: where a template strips blanks around what was said (Llama's),
// the ledger keeps them as they were sampled.
// Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/llm/chat/chat_turns.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// What an agent is told before its first turn, whatever the world.
inline constexpr std::string_view kAgentRules =
    "You act in a world of text to carry out a task. Each of your replies is one action and nothing "
    "else; the answer tells you what you then see.";

class ChatAgentPrompt final : public TurnPrompt {
 public:
  /// @param rules          the system message; "" = none.
  /// @param names_actions  whether each observation ends with the admissible actions.
  /// @throws Error kUnsupported if the template rewrites earlier turns, or ends an assistant's turn
  ///         with words that are no token of their own.
  ChatAgentPrompt(std::shared_ptr<const PretrainedTokenizer> tokenizer,
             ChatTemplate format,
             std::string_view rules,
             bool names_actions = false);

  [[nodiscard]] std::vector<TokenId> begin(std::string_view instruction,
                                           std::string_view observation) const override;
  [[nodiscard]] std::vector<TokenId> action(std::string_view action) const override;
  [[nodiscard]] std::vector<TokenId> observation(std::string_view observation,
                                                 std::string_view instruction) const override;
  /// Without blanks around it.
  /// @throws Error kUnsupported for a reply that the template would leave out of the past, such as
  ///         Qwen3's thoughts.
  [[nodiscard]] Action parse_action(std::span<const TokenId> sampled) const override;
  [[nodiscard]] TokenId stop() const override { return stop_; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] bool names_actions() const override { return names_actions_; }

  /// The first message of the user.
  [[nodiscard]] static std::string first_message(std::string_view instruction,
                                                 std::string_view observation);

 private:
  std::shared_ptr<const PretrainedTokenizer> tokenizer_;
  ChatTemplate format_;
  ChatTurns turns_;
  bool names_actions_ = false;
  TokenId stop_ = 0;
};

}  // namespace dreamgym
