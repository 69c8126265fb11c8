#include "dreamgym/worlds/collect.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {

Trajectory play_episode(Environment& environment,
                        ScriptedPolicy& policy,
                        const Task& task,
                        std::uint64_t seed,
                        std::size_t max_steps) {
  Trajectory trajectory{.task = task, .seed = seed};
  Observation observation = environment.reset(task, seed);
  policy.reset(task, observation, seed);
  for (std::size_t t = 1; t <= max_steps; ++t) {
    const Action action = policy.act();
    StepResult result = environment.step(action);
    policy.observe(action, result.observation);
    const bool ended = result.terminated || result.truncated;
    result.truncated = result.truncated || (!ended && t == max_steps);
    trajectory.steps.push_back(to_transition(std::move(observation), action, result));
    observation = std::move(result.observation);
    if (ended) {
      break;
    }
  }
  settle_outcome(trajectory);
  return trajectory;
}

std::vector<Trajectory> collect(const World& world, const CollectOptions& options) {
  if (options.max_steps == 0) {
    throw Error(ErrorKind::kInvalidArgument, "max_steps: expected at least 1, got 0");
  }
  std::vector<Task> tasks = world.tasks(options.tasks);
  if (tasks.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("world \"{}\", split \"{}\": expected tasks, got none",
                            world.name(),
                            options.tasks.split));
  }
  if (options.task_order != 0) {
    Rng(options.task_order).shuffle(tasks);
  }
  if (options.num_tasks > 0) {
    tasks.resize(std::min(tasks.size(), options.num_tasks));
  }
  const auto explainer = world.make_explainer();
  const Rng rng = Rng(options.seed).fork("collect");
  const std::size_t count = options.num_episodes == 0 ? tasks.size() : options.num_episodes;
  return parallel_map(count, options.num_threads, [&](std::size_t i) {
    const auto environment = world.make_environment();
    const auto policy = world.make_policy(options.policy, options.noise);
    Trajectory trajectory = play_episode(*environment,
                                         *policy,
                                         tasks[(options.first_task + i) % tasks.size()],
                                         rng.fork("episode", i).next(),
                                         options.max_steps);
    trajectory.policy_version = policy_kind_name(options.policy);
    trajectory.episode_id = fmt::format("{}-{}-{}-{}-{}",
                                        world.name(),
                                        options.tasks.split,
                                        trajectory.policy_version,
                                        options.seed,
                                        i);
    if (options.explain) {
      explainer->explain(trajectory);
    }
    return trajectory;
  });
}

}  // namespace dreamgym
