#include "dreamgym/rollout/play_episodes.h"

#include <algorithm>
#include <numeric>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/rollout/internal/episode_player.h"

namespace dreamgym {

std::size_t num_sampled(const Episode& episode) {
  std::size_t count = 0;
  for (const TokenLedger& ledger : episode.ledgers) {
    count += ledger.num_sampled();
  }
  return count;
}

std::pair<std::string, std::size_t> most_lost(const RolloutCost& cost) {
  const auto most = std::ranges::max_element(
      cost.lost_of_tasks, {}, [](const auto& of_task) { return of_task.second; });
  if (most == cost.lost_of_tasks.end()) {
    return {};
  }
  return *most;
}

void add_cost(RolloutCost& total, const RolloutCost& spent) {
  total.steps += spent.steps;
  total.failed_attempts += spent.failed_attempts;
  total.lost_episodes += spent.lost_episodes;
  total.sampled_tokens += spent.sampled_tokens;
  total.ledger_branches += spent.ledger_branches;
  total.environment_seconds += spent.environment_seconds;
  total.agent_seconds += spent.agent_seconds;
  total.generation_seconds += spent.generation_seconds;
  for (const auto& [task, count] : spent.lost_of_tasks) {
    total.lost_of_tasks[task] += count;
  }
  if (total.first_failure.empty()) {
    total.first_failure = spent.first_failure;
  }
}

std::vector<Episode> play_episodes(TokenAgent& agent,
                                   EnvironmentBatch& environment,
                                   const ActionMapperFactory* mappers,
                                   std::span<const Task> tasks,
                                   const Rng& rng,
                                   const RolloutOptions& options,
                                   RolloutCost* cost,
                                   ProgressSink* progress) {
  check(options.batch_size > 0 && options.max_steps > 0, "batch_size and max_steps are positive");
  RolloutCost spent;
  std::vector<Episode> episodes(tasks.size());
  if (progress != nullptr) {
    progress->begin("episodes", tasks.size(), "episodes");
  }
  const SteadyClock clock;
  const std::chrono::nanoseconds start = clock.now();
  std::size_t num_ended = 0;
  const auto keep = [&](std::size_t number, Episode episode) {
    spent.sampled_tokens += num_sampled(episode);
    episodes[number] = std::move(episode);
    if (progress != nullptr && ++num_ended <= tasks.size()) {
      progress->advance(num_ended, "");
    }
  };
  rollout_internal::EpisodePlayer player(
      {agent, environment, mappers, options, tasks, rng, start}, spent, keep);
  std::vector<std::size_t> open(tasks.size());  // numbers of the episodes still to be played
  std::iota(open.begin(), open.end(), std::size_t{0});
  player.play(open);
  const std::size_t first_attempts = spent.steps;
  const auto in_time = [&] {
    return options.rollout_seconds == 0 || seconds_since(clock, start) < options.rollout_seconds;
  };
  for (std::size_t attempt = 0; attempt < options.retries && in_time(); ++attempt) {
    std::erase_if(open, [&](std::size_t n) {
      return episodes[n].trajectory.outcome != Outcome::kInfrastructureError;
    });
    const std::size_t retried = spent.steps - first_attempts;
    const std::size_t left = options.retry_budget - std::min(options.retry_budget, retried);
    player.play(std::span(open).first(std::min(open.size(), left / options.max_steps)));
  }
  for (const Episode& episode : episodes) {
    if (episode.trajectory.outcome == Outcome::kInfrastructureError) {
      ++spent.lost_episodes;
      ++spent.lost_of_tasks[episode.trajectory.task.id];
    }
  }
  if (progress != nullptr) {
    progress->end("");
  }
  if (cost != nullptr) {
    add_cost(*cost, spent);
  }
  return episodes;
}

}  // namespace dreamgym
