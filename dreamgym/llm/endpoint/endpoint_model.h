// A fleet of OpenAI-compatible servers as a language model in tokens: /completions with ids in and out.
//
// The tokenizer must be that of the served model (its folder or GGUF file); ids the server returns are taken
// as they are and never encoded again. A server that returns no ids can't be used for it (vLLM does with
// return_token_ids); prompted use without tokens is EndpointChat. Sessions mean nothing here: the server's own
// prefix cache recognises what it has read.
// Deviation from language_model.h: log-probabilities are the server's own, which are those before the
// temperature (vLLM's default), and for a choice they are over the whole vocabulary, not over the allowed
// tokens; they are NaN where the server spelled a choice with other tokens than the trie. Not for training.
#pragma once

#include <memory>

#include "dreamgym/llm/endpoint/endpoint_fleet.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// Thread safety: as LanguageModel; up to the fleet's concurrency requests are under way at once.
class EndpointModel final : public LanguageModel {
 public:
  EndpointModel(std::shared_ptr<EndpointFleet> fleet,
                std::shared_ptr<const Tokenizer> tokenizer,
                std::size_t max_context_tokens);

  /// @throws Error kIo naming the first request nobody answered; kUnsupported if the server returns no ids.
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  std::unique_ptr<GenerationQueue> open_queue() override;
  void release(std::span<const std::uint64_t> /*sessions*/) override {}
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] std::size_t max_context_tokens() const override { return max_context_tokens_; }
  [[nodiscard]] std::string version() const override;

 private:
  class Queue;

  [[nodiscard]] GenerationReply ask(const GenerationRequest& request);

  std::shared_ptr<EndpointFleet> fleet_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::size_t max_context_tokens_;
};

}  // namespace dreamgym
