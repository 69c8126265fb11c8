// Offline logs: a scripted policy plays a world, and its explainer says why things happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dreamgym/worlds/world.h"

namespace dreamgym {

struct CollectOptions {
  WorldOptions tasks{};
  PolicyKind policy = PolicyKind::kExpert;
  double noise = 0.2;            ///< of kNoisy, in [0, 1]
  std::size_t num_episodes = 0;  ///< 0 = one a task; more than tasks: each is played again
  std::size_t first_task = 0;    ///< episode i plays task (first_task + i) modulo the number of tasks
  std::size_t num_tasks = 0;  ///< only the first so many in that order are played; 0 = all
  std::uint64_t task_order = 0;  ///< 0 = as the world lists them, else the seed of a shuffle
  std::size_t max_steps = 50;    ///< then an episode is cut
  std::uint64_t seed = 0;        ///< of the policy's and the environment's streams
  std::size_t num_threads = 1;   ///< the result does not depend on it
  bool explain = true;           ///< fill in reasoning traces
};

/// Plays the episode of the task with both seeds taken from `seed`.
Trajectory play_episode(Environment& environment,
                        ScriptedPolicy& policy,
                        const Task& task,
                        std::uint64_t seed,
                        std::size_t max_steps);

/// Episodes in order of their number. Ids are
/// "<world>-<split>-<policy>-<seed>-<number>".
std::vector<Trajectory> collect(const World& world, const CollectOptions& options);

}  // namespace dreamgym
