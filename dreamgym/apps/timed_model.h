// A language model with a clock: how much of an environment's time its model takes.
//
// Thread safety: as LanguageModel.
#pragma once

#include "dreamgym/base/clock.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

class TimedModel final : public LanguageModel {
 public:
  /// @param model  borrowed.
  explicit TimedModel(LanguageModel& model) : model_(model) {}

  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    const auto start = clock_.now();
    std::vector<GenerationReply> replies = model_.generate(requests);
    seconds_ += seconds_since(clock_, start);
    return replies;
  }
  void release(std::span<const std::uint64_t> sessions) override { model_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return model_.max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return model_.version(); }

  /// Spent in generate().
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  LanguageModel& model_;
  SteadyClock clock_;
  double seconds_ = 0;
};

}  // namespace dreamgym
