// Supervised fine-tuning: the experience model's joint loss (paper Eq. 5), behaviour cloning, and
// pre-training, by one loop. What is taught is a plan; how much each token counts is in the sequences.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/training_run.h"

namespace dreamgym {

struct SftConfig {
  double epochs = 2;                          ///< passes over the sequences; fractions allowed
  std::size_t tokens_per_update = 8192;       ///< computed tokens, about
  std::size_t tokens_per_micro_batch = 2048;  ///< bounds the activations in memory
  OptimizerConfig optimizer;
  double warmup_share = 0.03;                 ///< of all updates
  double final_rate_share = 0.1;              ///< learning rate at the end / peak
  double name_permutation = 0.0;              ///< share of sequences whose content names are permuted
  std::size_t checkpoint_every = 50;          ///< updates
};

/// What is taught at each update: a pure function of the update's number, so that a resumed run sees
/// what an uninterrupted one would have.
struct TeachingPlan {
  std::size_t num_updates = 0;
  std::function<std::vector<TrainingSequence>(std::size_t update)> sequences;
};

/// Passes over given sequences: each epoch shuffled by its own stream, updates filled up to
/// tokens_per_update. The plan owns a copy of the sequences.
/// @param permutable  ids of content names that may be permuted within a sequence (name_permutation).
/// @throws Error kInvalidArgument if there is nothing to teach.
TeachingPlan epoch_plan(std::vector<TrainingSequence> sequences,
                        const SftConfig& config,
                        const Rng& rng,
                        std::vector<TokenId> permutable = {});

struct SftReport {
  std::size_t updates = 0;
  std::size_t tokens = 0;           ///< computed
  std::size_t skipped_updates = 0;  ///< non-finite gradient
  std::array<double, kNumLossParts> last_loss{};  ///< running mean per part, nats per token; 0 if unused
};

template <class Field>
void visit_state(SftReport& report, Field&& field) {
  field("tokens", report.tokens);
  field("skipped_updates", report.skipped_updates);
  for (std::size_t part = 0; part < kNumLossParts; ++part) {
    field("loss_" + std::to_string(part), report.last_loss[part]);
  }
}

/// Trains in place. With a checkpoint folder it resumes where it was; the result is bit for bit that of
/// an uninterrupted run.
SftReport train_sft(TrainableModel& model,
                    const TeachingPlan& plan,
                    const SftConfig& config,
                    const TrainingRun& run);

/// Mean loss per part (nats per weighted token) without training.
std::array<double, kNumLossParts> evaluate_sft(const TrainableModel& model,
                                               const std::vector<TrainingSequence>& sequences,
                                               std::size_t tokens_per_micro_batch);

/// "trace", "state", ...
std::string_view loss_part_name(LossPart part);

}  // namespace dreamgym
