// The agent's side of an episode as a conversation in a pretrained model's own chat format.
//
// system: the rules; user: task and first observation; assistant: action; user: observation; ...
// The sampled part of a turn is the action and the token that ends the assistant's turn. Ids are
// those of the whole conversation as its template renders it, so that what was learnt in such
// conversations applies. A policy that thinks writes its thought before the action (thought_form.h). What the
// template forgets of a turn once another follows is not remembered. Deviation: where a template strips
// blanks around what was said (Llama's), the ledger keeps them as they were sampled.
// Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/agent/thought_form.h"
#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/llm/chat/chat_turns.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// What an agent is told before its first turn, whatever the world.
inline constexpr std::string_view kAgentRules =
    "You act in a world of text to carry out a task. Each of your replies is one action and nothing "
    "else; the answer tells you what you then see.";

/// Likewise where it thinks.
inline constexpr std::string_view kThinkingAgentRules =
    "You act in a world of text to carry out a task. In each of your replies you think first, then "
    "name one action and nothing after it; the answer tells you what you then see.";

class ChatAgentPrompt final : public TurnPrompt {
 public:
  /// @param rules          the system message; "" = none.
  /// @param names_actions  whether each observation ends with the admissible actions.
  /// @param max_thought_tokens  of the thought before each action; 0 = it does not think.
  /// @throws Error kUnsupported if the template rewrites earlier turns without thoughts, or ends an
  ///         assistant's turn with words that are no token of their own.
  ChatAgentPrompt(std::shared_ptr<const PretrainedTokenizer> tokenizer,
             ChatTemplate format,
             std::string_view rules,
             bool names_actions = false,
             std::size_t max_thought_tokens = 0);

  [[nodiscard]] std::vector<TokenId> begin(std::string_view instruction,
                                           std::string_view observation) const override;
  [[nodiscard]] std::vector<TokenId> action(std::string_view action) const override;
  [[nodiscard]] std::vector<TokenId> observation(std::string_view observation,
                                                 std::string_view instruction) const override;
  /// Without blanks around it, and without what the template forgets.
  [[nodiscard]] Action parse_action(std::span<const TokenId> sampled) const override;
  [[nodiscard]] std::vector<TokenId> remembered(std::span<const TokenId> turn) const override;
  [[nodiscard]] const ThoughtForm* thought_form() const override { return thoughts_ ? &*thoughts_ : nullptr; }
  [[nodiscard]] TokenId stop() const override { return stop_; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] bool names_actions() const override { return names_actions_; }

  /// The first message of the user.
  [[nodiscard]] static std::string first_message(std::string_view instruction,
                                                 std::string_view observation);

  /// Whether a turn with a thought is remembered as it was written.
  [[nodiscard]] static bool keeps_thoughts(ChatTemplate format);

 private:
  /// What was said, the token that ends the turn left out.
  [[nodiscard]] std::string said(std::span<const TokenId> turn) const;

  std::shared_ptr<const PretrainedTokenizer> tokenizer_;
  ChatTemplate format_;
  ChatTurns turns_;
  bool names_actions_ = false;
  std::optional<ThoughtForm> thoughts_;
  TokenId stop_ = 0;
};

}  // namespace dreamgym
