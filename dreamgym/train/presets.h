// Named sets of training settings, as published or as we suggest them.
//
//   verl-agent  the example scripts of the method's closest public code, number by number
//   dreamgym    the same inside a dream: experience model, replay and curriculum added
//   s2r         from the dream's checkpoint on, with a small budget of real steps and half the rate
//
// They are meant for pretrained language models of 1.5B parameters and more; this project's own
// small models train at higher rates (GrpoConfig's defaults). Thread safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/train/adaptive_kl.h"
#include "dreamgym/train/dynamic_sampling.h"
#include "dreamgym/train/gae.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/grouped_advantages.h"
#include "dreamgym/train/mismatch_correction.h"
#include "dreamgym/train/policy_objective.h"
#include "dreamgym/train/value_loss.h"

namespace dreamgym {

/// What one update is made of and how often it is checked.
struct SamplingPreset {
  std::size_t iterations = 150;
  std::size_t tasks_per_iteration = 16;
  std::size_t group_size = 8;
  std::size_t max_steps = 50;  ///< environment steps per episode
  std::size_t prompt_tokens = 2048;
  std::size_t completion_tokens = 512;  ///< per step
  /// (observation, action) pairs in the prompt; 0 = the whole episode, append-only.
  std::size_t history_length = 2;
  double temperature = 1.0;
  std::size_t validate_every = 5;  ///< iterations; also before the first
  std::size_t validation_episodes = 128;
  double validation_temperature = 0.4;
};

/// The dream around the policy. Unused by verl-agent.
struct DreamPreset {
  double simulator_temperature = 0.0;
  std::size_t retrieved_demonstrations = 5;
  std::size_t demonstration_characters = 2000;
  double generated_task_share = 0.3;  ///< lambda; the paper gives no value
};

/// When a run is stopped or a batch left out.
struct SafetyPreset {
  double stop_at_kl_factor = 10.0;     ///< times the adaptive controller's target
  double stop_at_entropy_share = 0.1;  ///< of the entropy at the start
  bool keep_best = true;
};

struct TrainingPreset {
  std::string name;
  SamplingPreset sampling;
  PolicyObjectiveConfig objective;
  double actor_learning_rate = 1e-6;
  double critic_learning_rate = 1e-5;  ///< ppo only
  double max_gradient_norm = 1.0;
  std::size_t mini_batch_samples = 256;  ///< steps, each a sample, per optimiser step
  std::size_t epochs = 1;                ///< passes over an iteration's samples
  double success_reward = 1.0;           ///< the paper's; verl-agent's own scripts: 10
  double invalid_action_penalty = 0.1;
  GaeConfig gae;
  ValueLossConfig value_loss;
  GigpoConfig gigpo;
  DynamicSamplingConfig dynamic_sampling;  ///< off but for the variant dapo
  AdaptiveKlConfig adaptive_kl;            ///< its target is also that of the alarm
  MismatchConfig mismatch;
  DreamPreset dream;
  SafetyPreset safety;
  std::size_t real_step_budget = 0;  ///< s2r: 5000; 0 = none given
};

/// "verl-agent", "dreamgym", "s2r".
const std::vector<std::string>& training_preset_names();

/// @param world   "alfworld", "webshop" or "webarena" (no published script: WebShop's lengths and
/// 30
///                steps, BrowserGym's limit).
/// @throws Error  kConfig for an unknown preset or world, naming the known ones and the nearest.
/// Source:        verl-agent example scripts (January 2026); suggested defaults for the rest.
TrainingPreset training_preset(std::string_view name, std::string_view world);

/// "grpo", "dr-grpo", "dapo", "gspo", "cispo".
const std::vector<std::string>& policy_variant_names();

/// Sets what a variant of GRPO changes: surrogate, clip bounds, aggregation, dynamic sampling. The
/// KL term, the entropy bonus and the clamps are kept.
/// @throws Error kConfig for an unknown name.
void apply_policy_variant(std::string_view variant, TrainingPreset& preset);

/// Which group estimator goes with a variant.
GroupEstimator variant_estimator(std::string_view variant);

}  // namespace dreamgym
