// A fixed panel of tasks and how a policy does on it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/env/scripted_policy.h"
#include "dreamgym/eval/statistics.h"
#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

struct PanelOptions {
  std::size_t max_steps = 30;
  std::size_t batch_size = 128;
  std::size_t num_threads = 1;
  Provenance provenance = Provenance::kReal;
  std::string simulator_version;
};

struct PanelResult {
  std::vector<Episode> episodes;                 ///< in panel order; ledgers empty for scripted policies
  Estimate success;                              ///< of the episodes that infrastructure did not end
  std::size_t infrastructure_errors = 0;         ///< episodes that it ended, after all tries
  double mean_return = 0;                        ///< of the same; the score in worlds that pay in parts
  std::map<std::string, Estimate> by_type;       ///< by task_settings::kType
  std::size_t environment_steps = 0;
  std::size_t sampled_tokens = 0;
  double seconds = 0;

  /// [n] 1 = success, for paired comparisons; 0 where infrastructure ended the episode, so leave those out
  /// where there can be any.
  [[nodiscard]] std::vector<double> outcomes() const;
};

/// Share of successes with its interval. @param stories  not empty.
Estimate success_of(std::span<const Trajectory> stories);

/// Plays each task once with the agent (its options hold the evaluation temperature).
PanelResult evaluate_agent(TokenAgent& agent,
                           EnvironmentBatch& environment,
                           const ActionMapperFactory* mappers,
                           std::span<const Task> panel,
                           const Rng& rng,
                           const PanelOptions& options,
                           ProgressSink* progress = nullptr);

/// Plays each task once with a scripted policy (random, expert).
PanelResult evaluate_scripted(ScriptedPolicy& policy,
                              Environment& environment,
                              std::span<const Task> panel,
                              const Rng& rng,
                              const PanelOptions& options);

}  // namespace dreamgym
