// Writes down what a language model is asked and what it says, so that it can be replayed.
#pragma once

#include "dreamgym/base/file.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// One JSON line a request (docs/formats/model_recording.md); appends to an existing recording.
/// Lifetime: the recorded model must outlive it. Thread safety: as LanguageModel.
class RecordedModel final : public LanguageModel {
 public:
  /// @throws Error kCorrupt if the file exists and is no recording with this vocabulary.
  RecordedModel(LanguageModel& model, const Path& path);

  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  void release(std::span<const std::uint64_t> sessions) override { model_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return model_.max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return model_.version(); }

 private:
  LanguageModel& model_;
  LineWriter writer_;
};

}  // namespace dreamgym
