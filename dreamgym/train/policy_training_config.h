// Everything a stage of policy training can be told, whichever algorithm it names.
//
// One struct for all algorithms, since they differ in a few of its values (policy_algorithm.h sets
// those a name stands for): who is compared with whom, and what a token's loss is.
// Thread safety: values.
#pragma once

#include <cstddef>
#include <string>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/critic.h"
#include "dreamgym/train/dynamic_sampling.h"
#include "dreamgym/train/episode_rewards.h"
#include "dreamgym/train/gae.h"
#include "dreamgym/train/mismatch_correction.h"
#include "dreamgym/train/policy_advantages.h"
#include "dreamgym/train/policy_guards.h"
#include "dreamgym/train/policy_objective.h"
#include "dreamgym/train/value_loss.h"

namespace dreamgym {

/// Where the KL to the start policy enters and how strongly; the coefficient and the estimator are
/// those of PolicyLossConfig.
struct KlControlConfig {
  bool in_reward = false;     ///< subtracted from the rewards instead of added to the loss
  bool adaptive = false;      ///< the coefficient follows a target (adaptive_kl.h)
  double target = 0.1;        ///< nats per token, > 0
  double horizon = 10'000.0;  ///< episodes, > 0
};

/// The critic of ppo; nothing else reads it.
struct CriticTrainingConfig {
  CriticConfig question{};
  ValueLossConfig value_loss = {.clip = 0.2};  ///< in the unit of the rewards
  OptimizerConfig optimizer = {.learning_rate = 5e-4, .weight_decay = 0.0};
  bool two_level = false;           ///< GAE over turns, then over the tokens of each
  TwoLevelGaeConfig gae{};          ///< .tokens alone for the flat form
  std::size_t warmup_iterations = 2;  ///< in which only the critic learns
};

struct PolicyTrainingConfig {
  std::string algorithm = "grpo";  ///< a name of policy_algorithm.h
  std::string preset{};            ///< the published settings it began with; "" = none

  // What is played.
  std::size_t iterations = 24;
  std::size_t tasks_per_iteration = 12;
  std::size_t group_size = 8;  ///< episodes of each task; >= 2 but for ppo and reinforce_pp
  double temperature = 1.0;    ///< of the actions while training
  std::size_t max_steps = 30;  ///< per episode
  std::size_t history_steps = kWholeEpisode;  ///< the policy reads (AgentOptions)
  /// Environment steps that may be taken in all; never exceeded: the last iterations play fewer
  /// groups, and training ends when not even one full group fits. 0 = no limit.
  std::size_t step_budget = 0;
  /// Of the groups, played in a second place whose steps no budget counts (group_player.h), in [0, 1).
  double dream_share = 0.0;
  /// The next iteration is played while this one is learnt from, by the policy before the update; a
  /// mismatch_correction weighs its tokens.
  bool overlap = false;
  DynamicSamplingConfig dynamic_sampling;

  // What it is worth.
  RewardShapingConfig rewards;
  KlControlConfig kl;
  AdvantageConfig advantages;
  CriticTrainingConfig critic;

  // What is done with it.
  PolicyObjectiveConfig objective;
  /// Between the log-probabilities of sampling and those of the trainer before the update.
  MismatchCorrection mismatch_correction = MismatchCorrection::kNone;
  OptimizerConfig optimizer = {.learning_rate = 2e-4, .weight_decay = 0.0};
  std::size_t mini_batches = 2;      ///< optimiser steps per pass
  std::size_t mini_batch_steps = 0;  ///< environment steps of an optimiser step; 0 = mini_batches counts
  std::size_t passes = 1;            ///< over the same episodes, mini-batches drawn anew
  /// Iterations in which the learning rate rises to its value: the first steps of a fresh AdamW
  /// move every weight by the rate, whatever the gradient.
  std::size_t warmup_iterations = 0;
  std::size_t tokens_per_micro_batch = 4096;

  // What is done about trouble.
  GuardConfig guards;

  // What is kept.
  std::size_t validate_every = 4;    ///< iterations; 0 = never (the last policy is kept)
  std::size_t checkpoint_every = 1;  ///< iterations
};

}  // namespace dreamgym
