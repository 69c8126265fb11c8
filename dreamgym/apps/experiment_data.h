// What a run learns from and is measured on: offline trajectories and tasks.
#pragma once

#include <memory>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym {

struct ExperimentData {
  std::vector<Trajectory> offline;        ///< explained; what everything is learnt from
  std::vector<Trajectory> experience_part;  ///< see experience(); empty = all
  std::vector<Trajectory> held_out;       ///< explained; other places, only to measure the dream
  std::vector<Trajectory> demonstrations; ///< successes of `offline` that the start policy imitates
  std::vector<Task> training_tasks;       ///< with first observations; playable where there is a world
  std::vector<Task> panel;                ///< held-out tasks of the evaluation; empty without a world
  std::size_t offline_steps = 0;          ///< real steps the offline data cost

  /// What the experience model learns from and its memory begins with (DataConfig::experience_share).
  [[nodiscard]] const std::vector<Trajectory>& experience() const {
    return experience_part.empty() ? offline : experience_part;
  }
};

/// The world of a run, or nothing for world = "none".
std::unique_ptr<World> experiment_world(const ExperimentConfig& config);

/// Tasks of a split of that world, as the run has them.
WorldOptions world_options(const ExperimentConfig& config, const std::string& split, std::size_t count);

/// The tasks a run trains on in its world, each with the observation its episodes start from.
std::vector<Task> training_tasks(const ExperimentConfig& config, const World& world);

/// Candidate actions from text: the world's own mapper or, without a world, the patterns of the logs'
/// actions.
std::unique_ptr<ActionMapperFactory> experiment_mappers(const World* world,
                                                        std::span<const Trajectory> offline);

/// The episodes named in data.logs, in the words the world's tasks are shown in, with reasoning traces.
/// @throws Error as import_trajectories(); kInvalidArgument for logs of another world.
std::vector<Trajectory> explained_logs(const ExperimentConfig& config, const World* world, ProgressSink& progress);

/// Distinct tasks of the trajectories, each with the first observation it started from.
std::vector<Task> tasks_of_logs(const std::vector<Trajectory>& logs);

/// Reads the logs, or plays scripted policies of mixed quality; splits by place; explains; chooses
/// demonstrations and tasks. The trajectories are kept in RUN/data/*.jsonl and read back on resume.
ExperimentData prepare_data(const ExperimentConfig& config,
                            const World* world,
                            const Path& run_folder,
                            const Rng& rng,
                            ProgressSink& progress);

}  // namespace dreamgym
