#include "dreamgym/train/group_player.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/curriculum/task_value.h"

namespace dreamgym {
namespace {

std::vector<double> returns_of(const std::vector<Episode>& group) {
  std::vector<double> returns;
  for (const Episode& episode : group) {
    returns.push_back(episode.trajectory.episode_return);
  }
  return returns;
}

// Counts over everything that was played, whether it is learnt from or not.
struct Tally {
  double successes = 0;
  double truncated = 0;
  double invalid = 0;
  double steps = 0;
  double episodes = 0;
  double groups = 0;
  double variance = 0;
  double dropped_groups = 0;
  double rounds = 0;

  void count(const std::vector<Episode>& group) {
    ++groups;
    variance += group_variance(returns_of(group));
    for (const Episode& episode : group) {
      const Trajectory& story = episode.trajectory;
      ++episodes;
      successes += story.success() ? 1 : 0;
      truncated += story.outcome == Outcome::kTruncated ? 1 : 0;
      steps += static_cast<double>(story.steps.size());
      invalid += static_cast<double>(std::ranges::count_if(
          story.steps, [](const Transition& step) { return !step.action_valid; }));
    }
  }
};

std::map<std::string, double> metrics_of(const Tally& tally, const RolloutCost& cost) {
  const double episodes = std::max(1.0, tally.episodes);
  std::map<std::string, double> metrics = {
      {"rollout/success_share", tally.successes / episodes},
      {"rollout/truncated_share", tally.truncated / episodes},
      {"rollout/episode_length_steps", tally.steps / episodes},
      {"rollout/invalid_action_share", tally.invalid / std::max(1.0, tally.steps)},
      {"rollout/environment_steps", static_cast<double>(cost.steps)}};
  if (tally.episodes > tally.groups) {
    metrics["curriculum/group_variance"] = tally.variance / tally.groups;
  }
  if (cost.failed_attempts > 0) {
    metrics["rollout/failed_attempts"] = static_cast<double>(cost.failed_attempts);
    metrics["rollout/lost_episodes"] = static_cast<double>(cost.lost_episodes);
    metrics["rollout/lost_tasks"] = static_cast<double>(cost.lost_of_tasks.size());
    metrics["rollout/most_lost_of_a_task"] = static_cast<double>(most_lost(cost).second);
    metrics["rollout/dropped_groups"] = tally.dropped_groups;
  }
  if (cost.ledger_branches > 0) {
    metrics["rollout/ledger_branches"] = static_cast<double>(cost.ledger_branches);
  }
  if (tally.rounds > 1) {
    metrics["rollout/sampling_rounds"] = tally.rounds;
  }
  return metrics;
}

}  // namespace

GroupPlayer::GroupPlayer(Policy policy,
                         TaskCurriculum& curriculum,
                         Playground playground,
                         const PolicyTrainingConfig& config,
                         const Rng& rng)
    : policy_(std::move(policy)),
      curriculum_(curriculum),
      playground_(std::move(playground)),
      config_(config),
      rng_(rng) {}

std::size_t GroupPlayer::groups_that_fit(std::size_t steps_taken) const {
  if (config_.step_budget == 0) {
    return config_.tasks_per_iteration;
  }
  const std::size_t left = config_.step_budget - std::min(config_.step_budget, steps_taken);
  return std::min(config_.tasks_per_iteration, left / (config_.group_size * config_.max_steps));
}

// The second place's share is kept over all iterations, not rounded in each.
GroupPlayer::Split GroupPlayer::split(std::size_t iteration,
                                      std::size_t round,
                                      std::size_t count,
                                      std::size_t steps_taken) const {
  Split out;
  if (second) {
    const auto until = [&](std::size_t groups) {
      return static_cast<std::size_t>(
          std::floor(config_.dream_share * static_cast<double>(groups)));
    };
    const std::size_t before = iteration * config_.tasks_per_iteration;
    out.second = round == 0 ? until(before + count) - until(before) : until(count);
  }
  out.first = std::min(count - out.second, groups_that_fit(steps_taken));
  return out;
}

PlayedIteration GroupPlayer::play(std::size_t iteration, std::size_t steps_taken) {
  PlayedIteration out;
  Tally tally;
  const std::size_t wanted = config_.tasks_per_iteration;
  for (std::size_t round = 0;; ++round) {
    const Split places =
        split(iteration, round, wanted - out.num_groups, steps_taken + out.steps);
    const std::size_t count = places.first + places.second;
    if (count == 0) {
      break;  // the budget ends an iteration that would have been sampled again
    }
    const auto stream = [&](const char* name) {
      const Rng of_iteration = rng_.fork(name, iteration);
      return round == 0 ? of_iteration : of_iteration.fork("round", round);
    };
    ++tally.rounds;
    std::vector<Group> groups = play_round(curriculum_.next(count, stream("tasks")),
                                           places,
                                           stream("rollout"),
                                           steps_taken,
                                           out);
    tally.dropped_groups += static_cast<double>(count - groups.size());
    tell_curriculum(groups);
    std::vector<std::vector<double>> returns;
    for (const Group& group : groups) {
      tally.count(group);
      out.num_played += group.size();
      returns.push_back(returns_of(group));
    }
    const SelectedGroups selected =
        select_groups(returns, out.num_groups, wanted, round, config_.dynamic_sampling);
    for (const std::size_t kept : selected.kept) {
      for (Episode& episode : groups[kept]) {
        episode.group = out.num_groups;
        out.episodes.push_back(std::move(episode));
      }
      ++out.num_groups;
    }
    if (!selected.sample_again) {
      break;
    }
  }
  if (tally.groups == 0) {
    throw Error(ErrorKind::kIo,
                fmt::format("no group of iteration {} could be played; the first failure: {}",
                            iteration + 1,
                            out.cost.first_failure),
                "look at the environment: every one of its episodes failed, retries included");
  }
  out.metrics = metrics_of(tally, out.cost);
  return out;
}

std::vector<GroupPlayer::Group> GroupPlayer::play_round(std::vector<Task> tasks,
                                                        const Split& split,
                                                        const Rng& rng,
                                                        std::size_t steps_taken,
                                                        PlayedIteration& out) {
  std::size_t in_first = split.first;
  if (second) {
    // No engine knows a variation's goal, so variations are played in the second place.
    const auto variations = std::ranges::stable_partition(
        tasks, [](const Task& task) { return task.parent_task.empty(); });
    in_first = std::min(in_first, tasks.size() - variations.size());
  }
  const auto of_first = std::span(tasks).first(in_first);
  std::size_t retry_budget = SIZE_MAX;
  if (config_.step_budget > 0) {
    retry_budget = config_.step_budget - steps_taken - out.steps -
                   in_first * config_.group_size * config_.max_steps;
  }
  RolloutCost cost;
  std::vector<Group> groups =
      play_in(playground_, of_first, rng, retry_budget, cost, out.inside);
  out.steps += cost.steps;
  if (in_first < tasks.size()) {
    RolloutCost of_second;
    auto more = play_in(*second,
                        std::span(tasks).subspan(in_first),
                        rng.fork("second place"),
                        SIZE_MAX,
                        of_second,
                        out.inside);
    out.second_steps += of_second.steps;
    std::ranges::move(more, std::back_inserter(groups));
    add_cost(cost, of_second);
  }
  add_cost(out.cost, cost);
  return groups;
}

// The groups with enough members: two to be compared, or one where one is all there is.
std::vector<GroupPlayer::Group> GroupPlayer::play_in(const Playground& place,
                                                     std::span<const Task> tasks,
                                                     const Rng& rng,
                                                     std::size_t retry_budget,
                                                     RolloutCost& cost,
                                                     EnvironmentTimes& inside) {
  std::vector<Task> members;
  for (const Task& task : tasks) {
    members.insert(members.end(), config_.group_size, task);
  }
  if (members.empty()) {
    return {};
  }
  const AgentOptions sampling = {.temperature = config_.temperature,
                                 .history_steps = config_.history_steps};
  TokenAgent agent = policy_.prompt ? TokenAgent(policy_.engine, policy_.prompt, sampling)
                                    : TokenAgent(policy_.engine, policy_.tokenizer, sampling);
  const EnvironmentTimes before = place.times ? place.times() : EnvironmentTimes{};
  std::vector<Episode> episodes = play_episodes(agent,
                                                place.environment,
                                                place.mappers,
                                                members,
                                                rng,
                                                {.max_steps = config_.max_steps,
                                                 .batch_size = members.size(),
                                                 .provenance = place.provenance,
                                                 .simulator_version = place.simulator_version,
                                                 .retries = limits.retries,
                                                 .retry_budget = retry_budget,
                                                 .episode_seconds = limits.episode_seconds,
                                                 .rollout_seconds = limits.iteration_seconds,
                                                 .watchdog = watchdog},
                                                &cost);
  if (place.times) {
    const EnvironmentTimes after = place.times();
    inside.generation += after.generation - before.generation;
    inside.retrieval += after.retrieval - before.retrieval;
  }
  std::vector<Group> groups;
  for (std::size_t first = 0; first < episodes.size(); first += config_.group_size) {
    Group group;
    for (std::size_t i = first; i < first + config_.group_size; ++i) {
      if (episodes[i].trajectory.outcome != Outcome::kInfrastructureError) {
        group.push_back(std::move(episodes[i]));
      }
    }
    if (group.size() >= std::min<std::size_t>(2, config_.group_size)) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

// Episodes that stand alone (PPO) make a group with those of the same task.
void GroupPlayer::tell_curriculum(const std::vector<Group>& groups) {
  if (config_.group_size >= 2) {
    for (const Group& group : groups) {
      curriculum_.update(group.front().trajectory.task, returns_of(group));
    }
    return;
  }
  std::map<std::string, std::pair<const Task*, std::vector<double>>> by_task;
  for (const Group& group : groups) {
    const Trajectory& story = group.front().trajectory;
    auto& [task, returns] = by_task[TaskCurriculum::content_key(story.task)];
    task = &story.task;
    returns.push_back(story.episode_return);
  }
  for (const auto& [key, of_task] : by_task) {
    curriculum_.update(*of_task.first, of_task.second);
  }
}

}  // namespace dreamgym
