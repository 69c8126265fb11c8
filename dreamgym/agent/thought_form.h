// How a policy that thinks before it acts writes a turn: a thought between fixed words, then the action.
//
// The words that open a thought are given, the thought is sampled up to the mark that closes it (which is sampled,
// too), and what lies between that and the action is given again. A thought that ran into its limit, or that the
// policy ended with its turn, is closed for it.
// Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/chat/chat_turns.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

class ThoughtForm {
 public:
  /// @param max_tokens  of a thought, at least 1.
  ThoughtForm(std::shared_ptr<const PretrainedTokenizer> tokenizer, ThoughtMarks marks, std::size_t max_tokens);

  /// What stands before a thought.
  [[nodiscard]] const std::vector<TokenId>& opening() const { return opening_; }
  [[nodiscard]] std::size_t max_tokens() const { return max_tokens_; }
  /// Makes the request one for a thought.
  /// @param end_of_turn  the token that ends a turn: a thought may end with it.
  void ask(GenerationRequest& request, TokenId end_of_turn) const;
  /// What is written between a sampled thought and its action.
  [[nodiscard]] std::vector<TokenId> closing(std::span<const TokenId> thought) const;

 private:
  std::shared_ptr<const PretrainedTokenizer> tokenizer_;
  ThoughtMarks marks_;
  std::size_t max_tokens_;
  std::vector<TokenId> opening_;
};

}  // namespace dreamgym
