// The free-running check: no policy is trained in a dream that it has not first played against a check.
//
// The very policy that is about to be trained plays the dream and, where there is one, reality on the
// same tasks. Past `max_gap` the dream can't be trusted: the policy would learn to please the model.
// Teacher-forced accuracy is no gate (99% of rewards right went with 90% false successes).
// Without a reality two witnesses are left: a rule check of the dreamed successes' own text, and how
// often the logs' agents succeeded. A dream far kinder than the logs is hacked at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  std::optional<Estimate> logged_success;     ///< of the logs' agents, where it is known
  std::optional<Estimate> above_logs;         ///< dreamed - logged, independent episodes
  std::size_t dreamed_successes = 0;
  std::string first_contradiction;
  bool passed = false;
  std::string verdict;                        ///< one line: why, and what to do
  std::vector<std::string> alarms;            ///< what to look at even though it passed
};

/// What a dream can be held against; any of them may be missing.
struct CheckWitnesses {
  const PanelResult* real = nullptr;          ///< the same panel in reality
  const EpisodeAuditor* auditor = nullptr;    ///< rule check of an episode's text
  std::optional<Estimate> logged_success = {};  ///< share of the logged episodes that succeeded
};

/// @param dreamed   the panel played in the dream.
/// @param max_gap   allowed |dreamed - real| success, e.g. 0.15. Without a reality it is the allowed
///                  share of dreamed successes that the auditor can't confirm, and how far dreamed
///                  success may lie above the logs'. Above the logs beyond chance but within max_gap
///                  is an alarm.
FreeRunningCheck free_running_check(const PanelResult& dreamed,
                                    const CheckWitnesses& witnesses,
                                    double max_gap);

}  // namespace dreamgym
