// A language model that fails now and then, reproducibly: fault injection for tests.
#pragma once

#include <cstddef>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

struct FlakyConfig {
  double failure_probability = 0;  ///< of a call: Error kIo, as from a server that is down
  double cut_probability = 0;      ///< of a reply: its second half is missing
  double garble_probability = 0;   ///< of a reply: one token is another one
};

/// A call's fate depends on the seed and its number, so that trying again can succeed; a reply's on
/// the seed and the request. Replies among choices are left whole, since no model can give others.
/// Lifetime: the model must outlive it. Thread safety: as LanguageModel.
class FlakyModel final : public LanguageModel {
 public:
  /// @throws Error kInvalidArgument if a probability is outside [0, 1].
  FlakyModel(LanguageModel& model, const FlakyConfig& config, std::uint64_t seed);

  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  void release(std::span<const std::uint64_t> sessions) override { model_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return model_.max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return model_.version(); }

  [[nodiscard]] std::size_t num_failures() const { return num_failures_; }
  [[nodiscard]] std::size_t num_damaged_replies() const { return num_damaged_replies_; }

 private:
  void damage(const GenerationRequest& request, GenerationReply& reply);

  LanguageModel& model_;
  FlakyConfig config_;
  Rng rng_;
  std::uint64_t num_calls_ = 0;
  std::size_t num_failures_ = 0;
  std::size_t num_damaged_replies_ = 0;
};

}  // namespace dreamgym
