// The free-running check: no policy is trained in a dream that it has not first played against a check.
//
// The very policy that is about to be trained plays the dream and, where there is one, reality on the
// same tasks. Past `max_gap` the dream can't be trusted: the policy would learn to please the model.
// Teacher-forced accuracy is no gate (99% of rewards right went with 90% false successes).
#pragma once

#include <optional>
#include <string>

#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/eval/policy_panel.h"

namespace dreamgym {

struct FreeRunningCheck {
  std::size_t num_tasks = 0;
  Estimate dreamed_success;
  std::optional<Estimate> real_success;       ///< nothing without a real world
  std::optional<Estimate> gap;                ///< dreamed - real, paired by task
  std::optional<double> confirmed_share;      ///< of dreamed successes, by a rule check of their text
  std::optional<double> contradictions_per_episode;  ///< with what the episode showed earlier
  std::optional<double> second_looks_agree;   ///< share of second looks that show what must be there
  std::size_t dreamed_successes = 0;
  std::string first_contradiction;
  bool passed = false;
  std::string verdict;                        ///< one line: why, and what to do
};

/// @param dreamed   the panel played in the dream.
/// @param real      the same panel in reality, or null.
/// @param auditor   rule check of an episode's text, or null.
/// @param max_gap   allowed |dreamed - real| success, e.g. 0.15; without a reality the share of
///                  dreamed successes that the auditor can't confirm takes its place.
FreeRunningCheck free_running_check(const PanelResult& dreamed,
                                    const PanelResult* real,
                                    const EpisodeAuditor* auditor,
                                    double max_gap);

}  // namespace dreamgym
