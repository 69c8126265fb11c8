// Direct preference optimisation on pairs of multi-turn tails, offline.
//
// A pair is one training sequence with two branches (preference_packing.h). The reference is the
// model as it comes in; its log-probabilities are computed once.
//
// Source: DPO (arXiv 2305.18290), ETO (arXiv 2403.02502); the losses are in preference_loss.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/preference_loss.h"
#include "dreamgym/train/training_run.h"

namespace dreamgym {

struct DpoConfig {
  std::size_t epochs = 3;                     ///< passes over the pairs, >= 1
  std::size_t pairs_per_update = 32;          ///< >= 1
  std::size_t pairs_per_task = 4;             ///< at most (preference_pairs.h)
  std::size_t tokens_per_micro_batch = 4096;  ///< bounds the activations in memory
  PreferenceLossConfig loss;
  OptimizerConfig optimizer = {.learning_rate = 1e-4, .weight_decay = 0.0};
  double warmup_share = 0.1;          ///< of all updates
  double final_rate_share = 0.0;      ///< learning rate at the end / peak
  std::size_t checkpoint_every = 10;  ///< updates, >= 1
};

struct DpoReport {
  std::size_t updates = 0;
  std::size_t tokens = 0;           ///< computed, those for the reference left out
  std::size_t skipped_updates = 0;  ///< non-finite gradient
  // Of the last update.
  double loss = 0;
  double accuracy = 0;  ///< share of pairs whose chosen tail has the larger implicit reward
  double margin = 0;    ///< mean implicit reward, chosen - rejected, nats x beta
};

template <class Field>
void visit_state(DpoReport& report, Field&& field) {
  field("tokens", report.tokens);
  field("skipped_updates", report.skipped_updates);
  field("loss", report.loss);
  field("accuracy", report.accuracy);
  field("margin", report.margin);
}

/// Trains in place. With a checkpoint folder it resumes where it was; the result is bit for bit
/// that of an uninterrupted run.
///
/// @param pairs   as made by preference_sequence.
/// @param rng     orders the pairs of each epoch.
/// @throws Error  kInvalidArgument if there are no pairs or a number of the config is 0; kCorrupt
/// if
///                the checkpoint is of another number of pairs.
DpoReport train_dpo(TrainableModel& model,
                    const std::vector<TrainingSequence>& pairs,
                    const DpoConfig& config,
                    const Rng& rng,
                    const TrainingRun& run);

}  // namespace dreamgym
