#include "dreamgym/train/presets.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

TEST(TrainingPreset, VerlAgentIsItsPublishedScript) {
  const TrainingPreset preset = training_preset("verl-agent", "alfworld");
  EXPECT_EQ(preset.sampling.tasks_per_iteration, 16u);
  EXPECT_EQ(preset.sampling.group_size, 8u);
  EXPECT_EQ(preset.sampling.max_steps, 50u);
  EXPECT_EQ(preset.sampling.prompt_tokens, 2048u);
  EXPECT_EQ(preset.sampling.history_length, 2u);
  EXPECT_EQ(preset.sampling.iterations, 150u);
  EXPECT_EQ(preset.mini_batch_samples, 256u);
  EXPECT_DOUBLE_EQ(preset.actor_learning_rate, 1e-6);
  EXPECT_DOUBLE_EQ(preset.objective.loss.kl_coefficient, 0.01);
  EXPECT_DOUBLE_EQ(preset.objective.loss.dual_clip, 3.0);
  EXPECT_DOUBLE_EQ(preset.invalid_action_penalty, 0.1);
  EXPECT_TRUE(preset.gigpo.count_every_step);
  EXPECT_FALSE(preset.dynamic_sampling.enabled);
}

TEST(TrainingPreset, TakesWebShopsOwnLengths) {
  const TrainingPreset preset = training_preset("verl-agent", "webshop");
  EXPECT_EQ(preset.sampling.max_steps, 15u);
  EXPECT_EQ(preset.sampling.prompt_tokens, 4096u);
  EXPECT_EQ(preset.mini_batch_samples, 64u);
  EXPECT_FALSE(preset.gigpo.scale_by_std);
}

TEST(TrainingPreset, DreamgymCountsEpisodesOnceAndKeepsTheWholeHistory) {
  const TrainingPreset preset = training_preset("dreamgym", "alfworld");
  EXPECT_EQ(preset.sampling.history_length, 0u);
  EXPECT_FALSE(preset.gigpo.count_every_step);
  EXPECT_EQ(preset.dream.retrieved_demonstrations, 5u);
  EXPECT_DOUBLE_EQ(preset.actor_learning_rate, 1e-6);
}

TEST(TrainingPreset, S2rHalvesTheRateAndHasARealBudget) {
  const TrainingPreset preset = training_preset("s2r", "alfworld");
  EXPECT_DOUBLE_EQ(preset.actor_learning_rate, 5e-7);
  EXPECT_EQ(preset.real_step_budget, 5000u);
}

TEST(TrainingPreset, KeepsTheSafetyOnEverywhere) {
  for (const std::string& name : training_preset_names()) {
    const TrainingPreset preset = training_preset(name, "webarena");
    EXPECT_EQ(preset.objective.loss.max_log_ratio, 20.0) << name;
    EXPECT_EQ(preset.mismatch.gate, RatioLevel::kSequenceProduct) << name;
    EXPECT_EQ(preset.mismatch.keep_high, 3.0) << name;
    EXPECT_TRUE(preset.safety.keep_best) << name;
  }
}

TEST(TrainingPreset, NamesTheKnownOnesForAnUnknownName) {
  const std::string message = message_of([] { return training_preset("dreamgim", "alfworld"); });
  EXPECT_TRUE(contains(message, "verl-agent, dreamgym, s2r")) << message;
  EXPECT_TRUE(contains(message, "did you mean \"dreamgym\"")) << message;
  EXPECT_TRUE(
      contains(message_of([] { return training_preset("s2r", "webshoop"); }), "\"webshop\""));
}

TEST(ApplyPolicyVariant, SetsWhatTheVariantChangesAndKeepsTheRest) {
  TrainingPreset preset = training_preset("verl-agent", "alfworld");
  apply_policy_variant("dapo", preset);
  EXPECT_DOUBLE_EQ(preset.objective.loss.clip_high, 0.28);
  EXPECT_TRUE(preset.dynamic_sampling.enabled);
  apply_policy_variant("gspo", preset);
  EXPECT_EQ(preset.objective.surrogate, PolicySurrogate::kGspo);
  EXPECT_DOUBLE_EQ(preset.objective.loss.clip_high, 4e-4);
  EXPECT_FALSE(preset.dynamic_sampling.enabled);
  apply_policy_variant("dr-grpo", preset);
  EXPECT_EQ(preset.objective.aggregation, LossAggregation::kTokenSumOverConstant);
  EXPECT_DOUBLE_EQ(preset.objective.aggregation_constant, 256.0 * 512.0);
  EXPECT_EQ(variant_estimator("dr-grpo"), GroupEstimator::kDrGrpo);
  apply_policy_variant("cispo", preset);
  EXPECT_EQ(preset.objective.surrogate, PolicySurrogate::kCispo);
  EXPECT_DOUBLE_EQ(preset.objective.loss.clip_low, 1.0);
  EXPECT_DOUBLE_EQ(preset.objective.loss.kl_coefficient, 0.01);
  EXPECT_NE(message_of([&] {
              apply_policy_variant("grpoo", preset);
              return 0;
            }),
            "");
}

}  // namespace
}  // namespace dreamgym
