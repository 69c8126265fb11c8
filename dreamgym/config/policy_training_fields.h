// Fields of a stage of policy training: key, member, help, range.
#pragma once

#include "dreamgym/config/fields.h"
#include "dreamgym/train/policy_training_config.h"

namespace dreamgym {

inline constexpr Named<AdvantageEstimator> kAdvantageEstimators[] = {
    {"grpo", AdvantageEstimator::kGrpo},
    {"dr_grpo", AdvantageEstimator::kDrGrpo},
    {"rloo", AdvantageEstimator::kRloo},
    {"reinforce_pp", AdvantageEstimator::kReinforcePp},
    {"reinforce_pp_baseline", AdvantageEstimator::kReinforcePpBaseline}};

inline constexpr Named<PolicySurrogate> kPolicySurrogates[] = {
    {"clipped", PolicySurrogate::kClipped},
    {"gspo", PolicySurrogate::kGspo},
    {"cispo", PolicySurrogate::kCispo}};

inline constexpr Named<LossAggregation> kLossAggregations[] = {
    {"token-mean", LossAggregation::kTokenMean},
    {"seq-mean-token-sum", LossAggregation::kSequenceMeanOfTokenSum},
    {"seq-mean-token-mean", LossAggregation::kSequenceMeanOfTokenMean},
    {"seq-mean-token-sum-norm", LossAggregation::kTokenSumOverConstant}};

inline constexpr Named<KlEstimator> kKlEstimators[] = {{"k1", KlEstimator::kK1},
                                                       {"abs", KlEstimator::kAbs},
                                                       {"k2", KlEstimator::kK2},
                                                       {"k3", KlEstimator::kK3}};

inline constexpr Named<MismatchCorrection> kMismatchCorrections[] = {
    {"none", MismatchCorrection::kNone},
    {"token-truncated", MismatchCorrection::kTokenTruncated},
    {"sequence-masked", MismatchCorrection::kSequenceMasked},
    {"token-gate", MismatchCorrection::kTokenGate},
    {"geometric-gate", MismatchCorrection::kGeometricGate}};

template <class Field>
void visit_fields(OptimizerConfig& config, Field&& field) {
  bool muon = config.kind == OptimizerKind::kMuon;
  field("muon", muon, "Muon for hidden matrices (else AdamW for everything)");
  config.kind = muon ? OptimizerKind::kMuon : OptimizerKind::kAdamW;
  field("learning_rate", config.learning_rate, "of AdamW", between(0, 1));
  field("muon_learning_rate", config.muon_learning_rate, "of Muon", between(0, 1));
  field("weight_decay", config.weight_decay, "decoupled", between(0, 10));
  field("max_gradient_norm", config.max_gradient_norm, "global clip; 0 = none", at_least(0));
}

template <class Field>
void visit_fields(PolicyObjectiveConfig& config, Field&& field) {
  PolicyLossConfig& loss = config.loss;
  field.choice("surrogate", config.surrogate, kPolicySurrogates, "what a token's ratio does to its loss");
  field("clip_low", loss.clip_low, "ratio clip below 1", between(0, 1));
  field("clip_high", loss.clip_high, "ratio clip above 1", between(0, 10));
  field("dual_clip", loss.dual_clip, "bound of the loss for negative advantages; 0 = off", at_least(0));
  field.choice("aggregation", config.aggregation, kLossAggregations, "from token losses to the batch's");
  field("aggregation_constant", config.aggregation_constant, "of seq-mean-token-sum-norm; 0 = choices an optimiser step could hold", at_least(0));
  field("kl_coefficient", loss.kl_coefficient, "of the KL to the start policy", at_least(0));
  field.choice("kl_estimator", loss.kl_estimator, kKlEstimators, "of that KL");
  field("kl_straight_through", loss.kl_straight_through, "value of the estimator, derivative of k2");
  field("entropy_coefficient", loss.entropy_coefficient, "bonus", at_least(0));
}

template <class Field>
void visit_fields(KlControlConfig& config, Field&& field) {
  field("in_reward", config.in_reward, "subtracted from the rewards instead of added to the loss");
  field("adaptive", config.adaptive, "the coefficient follows the target");
  field("target", config.target, "nats per token", between(1e-9, 1e9));
  field("horizon", config.horizon, "episodes", between(1, 1e12));
}

template <class Field>
void visit_fields(RewardShapingConfig& config, Field&& field) {
  field("invalid_action_penalty", config.invalid_action_penalty, "where an action was not understood", at_least(0));
  field("overlong_factor", config.overlong.factor, "largest penalty for length; 0 = off", at_least(0));
  field("overlong_tokens", config.overlong.max_tokens, "written by an episode, where it is reached", at_least(1));
  field("overlong_buffer_tokens", config.overlong.buffer_tokens, "before, in which it grows", at_least(1));
}

template <class Field>
void visit_fields(DynamicSamplingConfig& config, Field&& field) {
  field("enabled", config.enabled, "groups of equal returns are played again");
  field("max_rounds", config.max_rounds, "of an iteration", at_least(1));
}

template <class Field>
void visit_fields(CriticTrainingConfig& config, Field&& field) {
  field("lowest", config.question.lowest, "value, in the unit of the rewards");
  field("highest", config.question.highest, "value, in the unit of the rewards");
  field("value_clip", config.value_loss.clip, "of the value loss; 0 = none", at_least(0));
  field("gamma", config.gae.tokens.gamma, "discount from token to token", between(0, 1));
  field("lambda", config.gae.tokens.lambda, "of GAE", between(0, 1));
  field("two_level", config.two_level, "GAE over turns, then over the tokens of each");
  field("turn_gamma", config.gae.turns.gamma, "discount from turn to turn", between(0, 1));
  field("turn_lambda", config.gae.turns.lambda, "of GAE over turns", between(0, 1));
  field("warmup_iterations", config.warmup_iterations, "in which only the critic learns", at_least(0));
  field.section("optimizer", config.optimizer);
}

template <class Field>
void visit_fields(GuardConfig& config, Field&& field) {
  field("max_kl", config.max_kl, "nats per token an iteration may move the policy; 0 = any", at_least(0));
  field("min_entropy_share", config.min_entropy_share, "of the first entropy, below which is an alarm; 0 = none", between(0, 1));
  field("patience", config.patience, "alarms in a row that end the training; 0 = never", at_least(0));
  field("spike_ratio", config.spike_ratio, "gradient / usual gradient beyond which a step is left out; 0 = none", at_least(0));
  field("rate_factor", config.rate_factor, "of the learning rate after a step left out or a KL alarm; 1 = never lowered", between(0.001, 1));
  field("rate_floor", config.rate_floor, "share of the rate, never less", between(1e-6, 1));
}

template <class Field>
void visit_fields(PolicyTrainingConfig& config, Field&& field) {
  field("preset", config.preset, "published settings it begins with: verl-agent, dreamgym or s2r; empty = this project's");
  field("algorithm", config.algorithm, "grpo, dr_grpo, rloo, reinforce_pp, reinforce_pp_baseline, gigpo, dapo, gspo, cispo or ppo");
  field("iterations", config.iterations, "at most", at_least(0));
  field("tasks_per_iteration", config.tasks_per_iteration, "groups", at_least(1));
  field("group_size", config.group_size, "episodes per task; 2 or more where they are compared", at_least(1));
  field("mini_batches", config.mini_batches, "optimiser steps per pass", at_least(1));
  field("mini_batch_steps", config.mini_batch_steps, "environment steps of an optimiser step; 0 = mini_batches counts", at_least(0));
  field.choice("advantage_estimator", config.advantages.estimator, kAdvantageEstimators, "what an episode is compared with");
  field("step_weight", config.advantages.step_weight, "GiGPO: of the step advantages; 0 = off", between(0, 10));
  field("step_discount", config.advantages.step_discount, "GiGPO: of the return to go", between(0, 1));
  field("step_similarity", config.advantages.step_similarity, "GiGPO: of observations that are one state; 1 = equal", between(0, 1));
  field("scale_steps", config.advantages.scale_steps, "GiGPO: step advantages are divided by their spread");
  field("token_discount", config.advantages.token_discount, "REINFORCE++", between(0, 1));
  field("count_every_step", config.advantages.count_every_step, "verl's counting: long episodes weigh more");
  field("keep_singletons", config.advantages.keep_singletons, "verl's rule for an episode without siblings");
  field.choice("mismatch_correction", config.mismatch_correction, kMismatchCorrections, "weights for tokens whose sampler is not the trainer");
  field("overlap", config.overlap, "the next iteration is played while this one is learnt from");
  field("dream_share", config.dream_share, "of the groups of a stage in reality, played in the dream", between(0, 0.95));
  field("passes", config.passes, "over the same episodes", at_least(1));
  field("warmup_iterations", config.warmup_iterations, "in which the learning rate rises", at_least(0));
  field("temperature", config.temperature, "of the actions while training", between(0.01, 10));
  field("tokens_per_micro_batch", config.tokens_per_micro_batch, "bounds memory", at_least(64));
  field("step_budget", config.step_budget, "environment steps in all; 0 = set by the arm", at_least(0));
  field("validate_every", config.validate_every, "iterations between validations; 0 = keep the last", at_least(0));
  field("checkpoint_every", config.checkpoint_every, "iterations", at_least(1));
  field.section("loss", config.objective);
  field.section("kl", config.kl);
  field.section("rewards", config.rewards);
  field.section("dynamic_sampling", config.dynamic_sampling);
  field.section("guards", config.guards);
  field.section("critic", config.critic);
  field.section("optimizer", config.optimizer);
}

}  // namespace dreamgym
