// A language model whose replies are written down beforehand, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// Replies are cut at the stop token and at max_tokens. Log-probabilities are those of a model to
/// which all allowed tokens are equally likely. Thread safety: as LanguageModel.
class ScriptedModel final : public LanguageModel {
 public:
  /// What to say to a request. Of choices it must name one, whole.
  using Answer = std::function<std::vector<TokenId>(const GenerationRequest& request)>;
  ScriptedModel(std::shared_ptr<const Tokenizer> tokenizer, Answer answer);
  /// Says these texts one after the other, markers in them as markers; after the last one, a
  /// request is an Error kNotFound.
  ScriptedModel(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> answers);

  /// @throws Error kInvalidArgument if the answer is not among the request's choices.
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  void release(std::span<const std::uint64_t> sessions) override;
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] std::size_t max_context_tokens() const override { return kMaxContextTokens; }
  [[nodiscard]] std::string version() const override { return "scripted"; }

  /// Everything it was asked so far.
  [[nodiscard]] const std::vector<GenerationRequest>& requests() const { return requests_; }

 private:
  static constexpr std::size_t kMaxContextTokens = 1U << 20U;

  [[nodiscard]] GenerationReply reply(const GenerationRequest& request) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  Answer answer_;
  std::vector<GenerationRequest> requests_;
};

/// Tokens of a text in which markers stand for their tokens, whatever the tokenizer.
std::vector<TokenId> encode_script(const Tokenizer& tokenizer, std::string_view text);

}  // namespace dreamgym
