#include "dreamgym/train/presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

void require_known(std::string_view what,
                   std::string_view name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{} \"{}\" is not known, expected one of {}", what, name, join(known, ", ")),
        fmt::format("did you mean \"{}\"?", nearest(name, known)));
  }
}

void set_world(std::string_view world, TrainingPreset& preset) {
  static const std::vector<std::string> kWorlds = {"alfworld", "webshop", "webarena"};
  require_known("world of a training preset", world, kWorlds);
  if (world == "alfworld") {
    return;  // the defaults
  }
  preset.sampling.max_steps = world == "webshop" ? 15 : 30;
  preset.sampling.prompt_tokens = 4096;
  preset.mini_batch_samples = 64;
  preset.gigpo.scale_by_std = false;
}

TrainingPreset verl_agent() {
  TrainingPreset preset;
  preset.objective.loss = {.clip_low = 0.2,
                           .clip_high = 0.2,
                           .kl_coefficient = 0.01,
                           .dual_clip = 3.0,
                           .kl_estimator = KlEstimator::kK3};
  preset.gigpo.count_every_step = true;
  preset.gigpo.keep_singletons = true;
  preset.mismatch = sequence_masked_importance_sampling();
  return preset;
}

}  // namespace

const std::vector<std::string>& training_preset_names() {
  static const std::vector<std::string> kNames = {"verl-agent", "dreamgym", "s2r"};
  return kNames;
}

TrainingPreset training_preset(std::string_view name, std::string_view world) {
  require_known("training preset", name, training_preset_names());
  TrainingPreset preset = verl_agent();
  preset.name = name;
  set_world(world, preset);
  if (name != "verl-agent") {
    preset.sampling.history_length = 0;
    preset.gigpo.count_every_step = false;
    preset.gigpo.keep_singletons = false;
  }
  if (name == "s2r") {
    preset.actor_learning_rate /= 2;
    preset.critic_learning_rate /= 2;
    preset.real_step_budget = 5000;
  }
  return preset;
}

const std::vector<std::string>& policy_variant_names() {
  static const std::vector<std::string> kNames = {"grpo", "dr-grpo", "dapo", "gspo", "cispo"};
  return kNames;
}

void apply_policy_variant(std::string_view variant, TrainingPreset& preset) {
  require_known("policy variant", variant, policy_variant_names());
  PolicyObjectiveConfig& objective = preset.objective;
  objective.surrogate = PolicySurrogate::kClipped;
  objective.aggregation = LossAggregation::kTokenMean;
  objective.loss.clip_low = 0.2;
  objective.loss.clip_high = 0.2;
  preset.dynamic_sampling.enabled = variant == "dapo";
  if (variant == "dr-grpo") {
    const std::size_t samples = preset.mini_batch_samples;
    objective.aggregation = LossAggregation::kTokenSumOverConstant;
    objective.aggregation_constant =
        static_cast<double>(samples * preset.sampling.completion_tokens);
  } else if (variant == "dapo") {
    objective.loss.clip_high = 0.28;
  } else if (variant == "gspo") {
    objective.surrogate = PolicySurrogate::kGspo;
    objective.aggregation = LossAggregation::kSequenceMeanOfTokenMean;
    objective.loss.clip_low = 3e-4;
    objective.loss.clip_high = 4e-4;
  } else if (variant == "cispo") {
    objective.surrogate = PolicySurrogate::kCispo;
    objective.loss.clip_low = 1.0;
  }
}

GroupEstimator variant_estimator(std::string_view variant) {
  require_known("policy variant", variant, policy_variant_names());
  return variant == "dr-grpo" ? GroupEstimator::kDrGrpo : GroupEstimator::kGrpo;
}

}  // namespace dreamgym
