// One optimiser step of a policy on played episodes, whoever computed the advantages: the one place
// where grpo, ppo and their variants meet the model.
//
// Thread safety: none; one call at a time, threads inside the models.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/gradient_guard.h"
#include "dreamgym/train/policy_objective.h"
#include "dreamgym/train/reference_policy.h"

namespace dreamgym {

/// An episode with what its chosen tokens are to learn, in their order.
struct PolicyLesson {
  const Episode* episode = nullptr;  ///< borrowed
  std::vector<double> advantages;    ///< [T]
  /// [T] of the policy before the update; empty = those of sampling.
  std::vector<double> old_logprobs{};
  std::vector<double> weights{};     ///< [T] of the policy term; empty = 1 (mismatch_correction.h)
};

struct PolicyStep {
  PolicySums sums;         ///< over the trained tokens, before the update
  std::size_t tokens = 0;  ///< computed
  std::vector<double> logprobs;          ///< of all chosen tokens, before the update
  std::vector<double> sampled_logprobs;  ///< of the same tokens, when they were sampled
  GuardedUpdate update;
};

struct PolicyStepConfig {
  PolicyObjectiveConfig objective{};
  OptimizerConfig optimizer{};
  UpdateControl control{};
  /// Aggregations count every context as a sequence (each turn of a window), not every episode.
  bool count_every_context = false;
  std::size_t tokens_per_micro_batch = 4096;
};

/// Gradients of the objective over all lessons, and one optimiser step; nothing happens without a
/// chosen token. The result does not depend on threads, and on micro-batches only by rounding.
///
/// @param reference  borrowed; null without a KL term.
PolicyStep step_policy(TrainableModel& policy,
                       const ReferencePolicy* reference,
                       std::span<const PolicyLesson* const> lessons,
                       const PolicyStepConfig& config);

/// Log-probability of each chosen token under a model.
///
/// @return  [episode][T]
std::vector<std::vector<double>> score_episodes(const TrainableModel& model,
                                                std::span<const Episode* const> episodes,
                                                std::size_t tokens_per_micro_batch);
std::vector<std::vector<double>> score_episodes(const ReferencePolicy& model,
                                                std::span<const Episode* const> episodes,
                                                std::size_t tokens_per_micro_batch);

/// Log-probability of each chosen token when it was sampled, [T].
std::vector<double> sampled_logprobs(const Episode& episode);

/// Chosen tokens of each of its contexts.
std::vector<std::size_t> choices_of_contexts(const Episode& episode);

}  // namespace dreamgym
