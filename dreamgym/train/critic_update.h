// What PPO does beside the policy's step (policy_update.h): advantages from a critic, and the
// critic's own step.
//
// Thread safety: none; one call at a time, threads inside the models.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/episode_rewards.h"
#include "dreamgym/train/policy_training_config.h"
#include "dreamgym/train/policy_update.h"

namespace dreamgym {

/// An episode with what its chosen tokens are to teach policy and critic.
struct PpoLesson {
  PolicyLesson policy;             ///< its advantages whitened over all episodes given together
  std::vector<double> old_values;  ///< [T] of the critic before the update
  std::vector<double> returns;     ///< [T] the critic's targets
};

/// One lesson for each episode with a chosen token. A single such token in all teaches only the
/// critic: its advantage is 0.
///
/// @param rewards  [episodes].
/// @throws Error   kInvalidArgument for a config out of range.
std::vector<PpoLesson> ppo_lessons(std::span<const Episode> episodes,
                                   std::span<const EpisodeRewards> rewards,
                                   const TrainableModel& critic,
                                   const CriticTrainingConfig& config,
                                   std::size_t tokens_per_micro_batch);

struct CriticStep {
  double loss = 0;           ///< mean over tokens, before the update
  double clipped_share = 0;  ///< of tokens
  /// 1 - variance of (return - value) / variance of the returns; 1 = perfect, 0 = a constant would
  /// do as well. 0 if the returns are all equal.
  double explained_variance = 0;
  GuardedUpdate update;
};

/// One optimiser step of the critic.
CriticStep step_critic(TrainableModel& critic,
                       std::span<const PpoLesson* const> lessons,
                       const CriticTrainingConfig& config,
                       std::size_t tokens_per_micro_batch,
                       const UpdateControl& control = {});

}  // namespace dreamgym
