// From played episodes to an advantage for every token the policy chose, by comparison of episodes
// with each other: GRPO, Dr.GRPO, RLOO, REINFORCE++ (with and without baseline), and GiGPO's step
// part on top of any group estimator.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/episode_rewards.h"

namespace dreamgym {

enum class AdvantageEstimator {
  kGrpo,                 ///< (score - group mean) / group std
  kDrGrpo,               ///< score - group mean
  kRloo,                 ///< score - mean of the others
  kReinforcePp,          ///< discounted return to go of each token, whitened over the batch
  kReinforcePpBaseline,  ///< score - group mean, whitened over the batch's tokens
};

struct AdvantageConfig {
  AdvantageEstimator estimator = AdvantageEstimator::kGrpo;
  /// GiGPO: weight of the step advantages (the step among those taken from the same state); 0 = off.
  double step_weight = 0.0;
  bool scale_steps = true;       ///< GiGPO: step advantages are divided by their spread
  double step_discount = 0.95;   ///< GiGPO: of the return to go, in [0, 1]
  double step_similarity = 1.0;  ///< GiGPO: of two observations that are one state; 1 = equal
  double token_discount = 1.0;   ///< REINFORCE++, in [0, 1]
  bool count_every_step = false;  ///< verl's counting: long episodes weigh more in mean and std
  bool keep_singletons = false;   ///< verl's rule: a lone episode's advantage is its raw score
};

/// True if an episode needs siblings to be compared with.
bool compares_within_groups(AdvantageEstimator estimator);

/// @param episodes  members of a group share Episode::group; any order.
/// @param rewards   [episodes].
/// @return          [episodes][chosen tokens]; all 0 for an episode that nothing can be said of.
/// @throws Error    kInvalidArgument for a score that is not finite or a value out of range.
std::vector<std::vector<double>> policy_advantages(std::span<const Episode> episodes,
                                                   std::span<const EpisodeRewards> rewards,
                                                   const AdvantageConfig& config);

}  // namespace dreamgym
