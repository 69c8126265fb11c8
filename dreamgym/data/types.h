// The line itself: tasks, transitions and trajectories as plain values.
//
// A trajectory is what flows through the house: played by rollout, kept by replay, learnt from by
// train, shown by report. On disk it is one line of canonical JSONL (data/trajectory_json.h,
// docs/formats/trajectory.md).
// Thread safety: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dreamgym {

/// Keys of Task::settings that several rooms read.
namespace task_settings {
inline constexpr const char* kFirstObservation = "first_observation";  ///< a dream starts from it
inline constexpr const char* kGame = "game";  ///< game file or generated game of the engine
inline constexpr const char* kType = "type";  ///< family of tasks, for statistics
}  // namespace task_settings

/// Keys of Transition::info that several rooms read.
namespace transition_info {
/// Why the step has no true outcome: a server that did not answer, say. Its episode is nobody's failure.
inline constexpr const char* kInfrastructureError = "infrastructure_error";
}  // namespace transition_info

/// What the agent is asked to do, and where.
struct Task {
  std::string id{};           ///< unique within its world; "" only in the task-less toy cases
  std::string instruction{};  ///< the sentence the agent reads, e.g. "put a hot mug in cabinet"
  std::string world{};   ///< catalogue name of the world, e.g. "alfworld"; "none" without an engine
  std::string split{};   ///< "train", "valid_seen", ...
  std::string source{};  ///< file or generator it came from
  std::string parent_task{};  ///< id of the task it varies; "" for original tasks
  std::uint64_t seed = 0;     ///< hidden world seed, equal for the members of a group
  std::map<std::string, std::string>
      settings{};  ///< world-specific, e.g. {"game": path, "type": ...}
  bool operator==(const Task&) const = default;
};

/// What the agent receives: text, and the commands the world says are possible now.
struct Observation {
  std::string text{};
  std::vector<std::string> admissible{};  ///< in the world's own order; empty where it shows none
  bool operator==(const Observation&) const = default;
};

using Action = std::string;

enum class Provenance { kReal, kDreamed };

/// One step as stored: the observation acted on, the action, and what came back.
struct Transition {
  Observation observation{};  ///< before the action
  Action action{};
  bool action_valid = true;                   ///< the environment understood it
  double reward = 0;                          ///< of this step
  Observation next_observation{};             ///< after the action
  bool terminated = false;                    ///< natural end of the episode
  bool truncated = false;                     ///< cut by a limit
  std::string reasoning_trace{};              ///< teacher's or experience model's R_t; "" if none
  std::vector<std::string> demonstrations{};  ///< ids of the transitions retrieved for this step
  std::optional<double> confidence{};         ///< of the experience model, in [0, 1]
  std::string thought{};                      ///< the agent's own reasoning, where a log has it
  std::map<std::string, std::string> info{};  ///< world-specific remarks
  bool operator==(const Transition&) const = default;
};

/// How an episode ended. Failures of infrastructure are no failure of the agent (lessons D5).
enum class Outcome { kSuccess, kFailure, kTruncated, kInfrastructureError };

/// Ordered transitions of one episode.
struct Trajectory {
  std::string episode_id{};  ///< unique within its file
  Task task{};
  std::uint64_t seed = 0;  ///< of the episode's random streams
  Provenance provenance = Provenance::kReal;
  std::string policy_version{};     ///< who acted, e.g. "expert", "step-12"
  std::string simulator_version{};  ///< experience model that dreamed it; "" for a real world
  std::vector<Transition> steps{};
  Outcome outcome = Outcome::kFailure;
  double episode_return = 0;  ///< undiscounted sum of rewards
  bool operator==(const Trajectory&) const = default;

  [[nodiscard]] bool success() const { return outcome == Outcome::kSuccess; }
};

}  // namespace dreamgym
