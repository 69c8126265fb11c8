// What PPO does with played episodes: advantages from a critic, and the two gradient steps.
//
// Thread safety: none; one call at a time, threads inside the models.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/critic.h"
#include "dreamgym/train/gae.h"
#include "dreamgym/train/policy_objective.h"
#include "dreamgym/train/value_loss.h"

namespace dreamgym {

struct PpoUpdateConfig {
  PolicyObjectiveConfig objective = {.loss = {.dual_clip = 3.0}};
  OptimizerConfig optimizer = {.learning_rate = 2e-4, .weight_decay = 0.0};
  CriticConfig critic{};
  ValueLossConfig value_loss = {.clip = 0.2};  ///< in the unit of the rewards
  OptimizerConfig critic_optimizer = {.learning_rate = 5e-4, .weight_decay = 0.0};
  bool two_level = false;               ///< GAE over turns, then over the tokens of each
  TwoLevelGaeConfig gae{};              ///< .tokens alone for the flat form
  double invalid_action_penalty = 0.0;  ///< subtracted where an action was not understood; >= 0
  std::size_t tokens_per_micro_batch = 4096;
};

/// An episode with what its trainable tokens are to learn, in their order.
struct PpoLesson {
  const Episode* episode = nullptr;  ///< borrowed
  std::vector<double> advantages;    ///< [T] whitened over all episodes given together
  std::vector<double> old_values;    ///< [T] of the critic before the update
  std::vector<double> returns;       ///< [T] the critic's targets
};

/// One lesson for each episode with a trainable token. A single such token in all teaches only the
/// critic: its advantage is 0.
/// @throws Error kInvalidArgument for a reward that is not finite, or a config out of range.
std::vector<PpoLesson> ppo_lessons(std::span<const Episode> episodes,
                                   const TrainableModel& critic,
                                   const PpoUpdateConfig& config);

struct PolicyStep {
  PolicySums sums;         ///< over the trained tokens, before the update
  std::size_t tokens = 0;  ///< computed
  UpdateResult update;
};

/// One optimiser step of the policy.
/// @param reference  borrowed; null without a KL term.
PolicyStep step_policy(TrainableModel& policy,
                       const TrainableModel* reference,
                       std::span<const PpoLesson* const> lessons,
                       const PpoUpdateConfig& config);

struct CriticStep {
  double loss = 0;           ///< mean over tokens, before the update
  double clipped_share = 0;  ///< of tokens
  /// 1 - variance of (return - value) / variance of the returns; 1 = perfect, 0 = a constant would
  /// do as well. 0 if the returns are all equal.
  double explained_variance = 0;
  UpdateResult update;
};

/// One optimiser step of the critic.
CriticStep step_critic(TrainableModel& critic,
                       std::span<const PpoLesson* const> lessons,
                       const PpoUpdateConfig& config);

}  // namespace dreamgym
