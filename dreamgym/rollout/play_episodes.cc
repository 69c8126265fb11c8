#include "dreamgym/rollout/play_episodes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {
namespace {

bool ended_by_infrastructure(const Episode& episode) {
  return episode.trajectory.outcome == Outcome::kInfrastructureError;
}

// One batch of episodes that run side by side.
class Wave {
 public:
  Wave(TokenAgent& agent,
       EnvironmentBatch& environment,
       const ActionMapperFactory* mappers,
       const RolloutOptions& options,
       RolloutCost& cost)
      : agent_(agent),
        environment_(environment),
        mappers_(mappers),
        options_(options),
        cost_(cost) {}

  /// @param numbers  [tasks] of the episodes, which name their streams.
  std::vector<Episode> play(std::span<const Task> tasks, const Rng& rng, std::span<const std::size_t> numbers) {
    reset(tasks, rng, numbers);
    std::vector<std::size_t> running(tasks.size());
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i] = i;
    }
    for (std::size_t t = 0; t < options_.max_steps && !running.empty(); ++t) {
      const std::vector<Action> actions = act(running);
      take_step(running, actions, t);
      std::erase_if(running, [&](std::size_t slot) { return over_[slot]; });
    }
    std::vector<std::uint64_t> sessions;
    std::vector<Episode> episodes;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      sessions.push_back(states_[i].session);
      episodes.push_back({std::move(stories_[i]), std::move(states_[i].ledger)});
    }
    agent_.finish(sessions);
    cost_.sampled_tokens += count_sampled(episodes);
    cost_.infrastructure_errors += count_failed(episodes);
    return episodes;
  }

 private:
  static std::size_t count_sampled(const std::vector<Episode>& episodes) {
    std::size_t total = 0;
    for (const Episode& episode : episodes) {
      total += episode.ledger.num_sampled();
    }
    return total;
  }

  static std::size_t count_failed(const std::vector<Episode>& episodes) {
    return static_cast<std::size_t>(std::ranges::count_if(episodes, ended_by_infrastructure));
  }

  void reset(std::span<const Task> tasks, const Rng& rng, std::span<const std::size_t> numbers) {
    std::vector<std::uint64_t> world_seeds;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      world_seeds.push_back(options_.paired_world_seed
                                ? tasks[i].seed
                                : rng.fork("world", numbers[i]).next());
    }
    const auto start = clock_.now();
    current_ = environment_.reset(tasks, world_seeds);
    cost_.environment_seconds += seconds_since(clock_, start);
    over_.assign(tasks.size(), false);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::uint64_t seed = rng.fork("episode", numbers[i]).next();
      Trajectory story;
      story.episode_id = fmt::format("{}#{}", tasks[i].id, numbers[i]);
      story.task = tasks[i];
      story.seed = seed;
      story.provenance = options_.provenance;
      story.policy_version = agent_.version();
      story.simulator_version = options_.simulator_version;
      stories_.push_back(std::move(story));
      states_.push_back(agent_.begin(
          tasks[i].instruction, current_[i].text, options_.first_session + i, seed));
      if (mappers_ != nullptr) {
        mapper_.push_back(mappers_->create());
        mapper_.back()->reset(tasks[i].instruction, current_[i].text);
        current_[i].admissible = mapper_.back()->candidates();
      }
    }
  }

  std::vector<Action> act(const std::vector<std::size_t>& running) {
    std::vector<AgentEpisode*> episodes;
    std::vector<std::vector<std::string>> candidates;
    for (const std::size_t slot : running) {
      episodes.push_back(&states_[slot]);
      candidates.push_back(current_[slot].admissible);
    }
    const auto start = clock_.now();
    std::vector<Action> actions = agent_.act(episodes, candidates);
    cost_.agent_seconds += seconds_since(clock_, start);
    return actions;
  }

  void take_step(const std::vector<std::size_t>& running,
                 const std::vector<Action>& actions,
                 std::size_t t) {
    const auto start = clock_.now();
    std::vector<StepResult> results = environment_.step(running, actions);
    cost_.environment_seconds += seconds_since(clock_, start);
    cost_.steps += running.size();
    for (std::size_t i = 0; i < running.size(); ++i) {
      record(running[i], actions[i], std::move(results[i]), t);
    }
  }

  void record(std::size_t slot, const Action& action, StepResult result, std::size_t t) {
    if (mappers_ != nullptr) {
      mapper_[slot]->observe(action, result.observation.text);
      result.observation.admissible = mapper_[slot]->candidates();
    }
    Trajectory& story = stories_[slot];
    story.steps.push_back(to_transition(std::move(current_[slot]), action, result));
    Transition& step = story.steps.back();
    current_[slot] = std::move(result.observation);
    if (!step.terminated && !step.truncated) {
      agent_.observe(states_[slot], current_[slot].text);
      step.truncated = t + 1 == options_.max_steps || !agent_.has_room(states_[slot]);
    }
    over_[slot] = step.terminated || step.truncated;
    if (over_[slot]) {
      settle_outcome(story);
    }
  }

  TokenAgent& agent_;
  EnvironmentBatch& environment_;
  const ActionMapperFactory* mappers_;
  const RolloutOptions& options_;
  RolloutCost& cost_;
  SteadyClock clock_;
  std::vector<Observation> current_;
  std::vector<Trajectory> stories_;
  std::vector<AgentEpisode> states_;
  std::vector<std::unique_ptr<ActionMapper>> mapper_;
  std::vector<bool> over_;
};

}  // namespace

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
  std::vector<Episode> episodes;
  episodes.reserve(tasks.size());
  if (progress != nullptr) {
    progress->begin("episodes", tasks.size(), "episodes");
  }
  const auto play = [&](std::span<const std::size_t> numbers) {
    std::vector<Task> of_numbers;
    for (const std::size_t number : numbers) {
      of_numbers.push_back(tasks[number]);
    }
    return Wave(agent, environment, mappers, options, spent).play(of_numbers, rng, numbers);
  };
  for (std::size_t begin = 0; begin < tasks.size(); begin += options.batch_size) {
    std::vector<std::size_t> numbers(std::min(options.batch_size, tasks.size() - begin));
    std::iota(numbers.begin(), numbers.end(), begin);
    std::vector<Episode> played = play(numbers);
    std::move(played.begin(), played.end(), std::back_inserter(episodes));
    if (progress != nullptr) {
      progress->advance(episodes.size(), "");
    }
  }
  for (std::size_t retry = 0; retry < options.infrastructure_retries; ++retry) {
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < episodes.size() && failed.size() < options.batch_size; ++i) {
      if (ended_by_infrastructure(episodes[i])) {
        failed.push_back(i);
      }
    }
    if (failed.empty()) {
      break;
    }
    std::vector<Episode> again = play(failed);
    for (std::size_t j = 0; j < failed.size(); ++j) {
      episodes[failed[j]] = std::move(again[j]);
    }
  }
  if (progress != nullptr) {
    progress->end("");
  }
  if (cost != nullptr) {
    cost->steps += spent.steps;
    cost->sampled_tokens += spent.sampled_tokens;
    cost->infrastructure_errors += spent.infrastructure_errors;
    cost->environment_seconds += spent.environment_seconds;
    cost->agent_seconds += spent.agent_seconds;
  }
  return episodes;
}

}  // namespace dreamgym
