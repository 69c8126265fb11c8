// What training adds to the environment's reward: penalties for invalid actions and for length.
//
// The environment's own return is never changed by them: success is counted from the trajectory.
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// Reward of each step, less `penalty` where the environment did not understand the action.
///
/// @param penalty  >= 0, in the unit of the rewards; verl-agent: 0.1.
/// @return         [steps]; the penalty belongs to the last token of that step's completion.
/// @throws Error   kInvalidArgument if a reward is not finite, naming episode and step.
/// Source:         verl-agent apply_invalid_action_penalty.
std::vector<double> penalised_step_rewards(const Trajectory& trajectory, double penalty);

struct OverlongConfig {
  std::size_t max_tokens = 512;     ///< longest completion allowed
  std::size_t buffer_tokens = 128;  ///< the last tokens before it, where the penalty grows; >= 1
  double factor = 1.0;              ///< penalty at max_tokens and beyond, >= 0
};

/// Soft overlong punishment: 0 up to max - buffer tokens, then linear down to -factor at max.
///
/// @return         in [-factor, 0], to be added to the episode's score.
/// @throws Error   kInvalidArgument if the buffer is 0 or larger than max_tokens.
/// Source:         DAPO (arXiv 2503.14476) Eq. 13.
double overlong_penalty(std::size_t num_tokens, const OverlongConfig& config);

}  // namespace dreamgym
