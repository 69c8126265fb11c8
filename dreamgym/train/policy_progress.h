// How far an update has moved a policy, and what that is worth where it was played: the two numbers
// of the paper's Theorem 1 that speak of policies.
//
// Thread safety: pure function.
#pragma once

#include <cstddef>
#include <span>

#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

struct PolicyProgress {
  /// Mean over the episodes' steps of ratio x A, ratio = new / old probability of the action taken:
  /// the old policy's advantage of what the new one does, in the unit of the rewards.
  double surrogate_advantage = 0;
  double divergence = 0;  ///< mean over the steps of KL(old || new) of an action, nats, k3 estimate
};

/// The advantage is estimated by (ratio - 1) (G - b): G the step's discounted return to go, b the mean
/// discounted return of the episode's siblings. What does not depend on the action drops out, since
/// the old policy's mean ratio is 1.
///
/// @param model     the new policy; the episodes are the old one's.
/// @param discount  in [0, 1].
/// @return          zeros for no step.
/// Source:          DreamGym (arXiv 2511.03773), appendix B, Theorem 1; Schulman (2020), k3.
PolicyProgress measure_progress(const TrainableModel& model,
                                std::span<const Episode> episodes,
                                double discount,
                                std::size_t tokens_per_micro_batch);

}  // namespace dreamgym
