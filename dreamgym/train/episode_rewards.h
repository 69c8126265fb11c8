// What training counts as the rewards of an episode: the environment's, less what shaping subtracts.
//
// The trajectory itself is never changed: success and the curriculum's returns are the
// environment's own. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/reward_shaping.h"

namespace dreamgym {

struct RewardShapingConfig {
  double invalid_action_penalty = 0.0;  ///< where an action was not understood; >= 0
  OverlongConfig overlong = {.factor = 0.0};  ///< of the tokens an episode wrote; factor 0 = off
};

struct EpisodeRewards {
  double score = 0;                ///< return of the whole episode
  std::vector<double> of_step;     ///< [steps]
  std::vector<double> of_token;    ///< [T] tokens the policy chose (episode_tokens.h)
  std::vector<std::size_t> turns;  ///< [T] step of each of them
};

/// @param kl_penalties  [T] subtracted from the chosen tokens' rewards; empty = none.
/// @throws Error        kInvalidArgument if a reward is not finite, naming episode and step.
EpisodeRewards episode_rewards(const Episode& episode,
                               const RewardShapingConfig& config,
                               std::span<const double> kl_penalties = {});

}  // namespace dreamgym
