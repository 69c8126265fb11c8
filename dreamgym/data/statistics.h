// What a set of trajectories holds, in numbers. Pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// A group's share of the trajectories.
struct GroupCount {
  std::size_t trajectories = 0;
  std::size_t successes = 0;
  std::size_t transitions = 0;
  bool operator==(const GroupCount&) const = default;
};

struct TrajectoryStatistics {
  GroupCount all{};
  std::size_t tasks = 0;  ///< distinct (world, id)
  /// By name; "-" where a trajectory says nothing.
  std::map<std::string, GroupCount> by_world{};
  std::map<std::string, GroupCount> by_split{};
  std::map<std::string, GroupCount> by_task_type{};  ///< settings["type"]
  std::map<std::string, GroupCount> by_outcome{};
  std::map<std::string, GroupCount> by_source{};  ///< task.source up to '#' or a final ":line"
  std::map<std::string, GroupCount> by_policy{};
  std::map<std::string, GroupCount> by_provenance{};
  std::size_t min_steps = 0;
  double mean_steps = 0;
  double median_steps = 0;  ///< mean of the middle two where their number is even
  std::size_t max_steps = 0;
  double mean_return = 0;
  std::size_t valid_actions = 0;          ///< transitions whose action was understood
  std::size_t rewarded_transitions = 0;   ///< reward not 0
  std::size_t explained_transitions = 0;  ///< with a reasoning trace
  std::size_t with_admissible = 0;        ///< transitions whose observation lists actions
  std::size_t with_thought = 0;
  /// Steps whose observation is not what the step before led to: a sign of a broken log.
  std::size_t broken_links = 0;
  /// What is known from more than one split: an evaluation on one would ask what the other has shown.
  std::size_t tasks_in_several_splits = 0;  ///< (world, id)
  std::size_t games_in_several_splits = 0;  ///< (world, settings["game"])

  [[nodiscard]] double valid_action_share() const;  ///< 0 without transitions
};

TrajectoryStatistics trajectory_statistics(std::span<const Trajectory> trajectories);

/// A table for people, some 80 columns wide; ends with a newline.
std::string to_table(const TrajectoryStatistics& statistics);
/// One JSON object on one line, for programs; the keys are the fields' names.
std::string to_json_line(const TrajectoryStatistics& statistics);

}  // namespace dreamgym
