// Preference pairs from played episodes: a success and a failure on the same task.
//
// The two share their first steps; what is compared are the multi-turn tails from the step on where
// their actions differ. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

struct PreferencePairsConfig {
  std::size_t max_pairs_per_task = 4;  ///< >= 1; keeps tasks with many episodes from ruling
};

struct PreferencePair {
  std::size_t chosen = 0;        ///< index of the success among the trajectories given
  std::size_t rejected = 0;      ///< index of the failure
  std::size_t shared_steps = 0;  ///< equal steps before the tails
  bool operator==(const PreferencePair&) const = default;
};

struct PreferencePairs {
  std::vector<PreferencePair> pairs;   ///< ordered by the first episode of their task
  std::size_t tasks = 0;               ///< with at least one episode that counts
  std::size_t tasks_without_pair = 0;  ///< only successes, only failures, or nothing comparable
  std::size_t incomparable = 0;        ///< candidates that part in an observation, or not at all
};

/// Pairs successes with failures of one world, task id and hidden seed. Failure and truncation both
/// count as failure; infrastructure errors and episodes without a step are left out. The k-th pair
/// of a task joins success k mod s and failure (k mod s + k / s) mod f, so that each is used about
/// equally often and no pair comes twice.
///
/// @throws Error kInvalidArgument if max_pairs_per_task is 0.
/// Source:       ETO (arXiv 2403.02502); DreamGym's DPO baseline (arXiv 2511.03773).
PreferencePairs build_preference_pairs(std::span<const Trajectory> trajectories,
                                       const PreferencePairsConfig& config);

}  // namespace dreamgym
