#include "dreamgym/agent/thought_form.h"

#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {

ThoughtForm::ThoughtForm(std::shared_ptr<const PretrainedTokenizer> tokenizer,
                         ThoughtMarks marks,
                         std::size_t max_tokens)
    : tokenizer_(std::move(tokenizer)),
      marks_(std::move(marks)),
      max_tokens_(max_tokens),
      opening_(tokenizer_->encode_with_markers(marks_.opening)) {
  check(max_tokens > 0, "a thought has room for a token");
}

void ThoughtForm::ask(GenerationRequest& request, TokenId end_of_turn) const {
  request.max_tokens = max_tokens_;
  request.stop = {end_of_turn};
  request.stop_texts = {marks_.closing};
}

std::vector<TokenId> ThoughtForm::closing(std::span<const TokenId> thought) const {
  const std::string text = tokenizer_->decode(thought);
  const std::size_t mark = text.find(marks_.closing);
  if (mark == std::string::npos) {
    return tokenizer_->encode_with_markers(marks_.before_closing + marks_.closing + marks_.after_closing);
  }
  // The token that completed the mark may have brought what follows it, too.
  const std::string_view rest = std::string_view(text).substr(mark + marks_.closing.size());
  return rest == marks_.after_closing ? std::vector<TokenId>()
                                      : tokenizer_->encode_with_markers(marks_.after_closing);
}

}  // namespace dreamgym
