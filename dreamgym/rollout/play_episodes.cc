#include "dreamgym/rollout/play_episodes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {
namespace {

// One batch of episodes that run side by side.
class Wave {
 public:
  Wave(TokenAgent& agent,
       EnvironmentBatch& environment,
       const ActionMapperFactory* mappers,
       const RolloutOptions& options,
       std::chrono::nanoseconds rollout_start,
       RolloutCost& cost)
      : agent_(agent),
        environment_(environment),
        mappers_(mappers),
        options_(options),
        rollout_start_(rollout_start),
        cost_(cost) {}

  /// @param numbers  [tasks] of the episodes within the rollout.
  std::vector<Episode> play(std::span<const Task> tasks,
                            const Rng& rng,
                            std::span<const std::size_t> numbers) {
    reset(tasks, rng, numbers);
    std::vector<std::size_t> ready(tasks.size());
    std::iota(ready.begin(), ready.end(), std::size_t{0});
    std::erase_if(ready, [&](std::size_t slot) { return over_[slot]; });
    // Whoever has an answer goes on; nobody waits for the slowest.
    while (!ready.empty() || !waiting_.empty()) {
      if (!ready.empty()) {
        submit(ready, act(ready));
      }
      ready = take_answers();
    }
    std::vector<std::uint64_t> sessions;
    std::vector<Episode> episodes;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      sessions.push_back(states_[i].session);
      episodes.push_back({std::move(stories_[i]), std::move(states_[i].ledgers)});
    }
    agent_.finish(sessions);
    return episodes;
  }

 private:
  void reset(std::span<const Task> tasks, const Rng& rng, std::span<const std::size_t> numbers) {
    std::vector<std::uint64_t> world_seeds;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      world_seeds.push_back(options_.paired_world_seed ? tasks[i].seed
                                                       : rng.fork("world", numbers[i]).next());
    }
    start_ = clock_.now();
    {
      const Watchdog::Wait wait(options_.watchdog, [&] {
        return fmt::format("the start of {} episode(s), the first of \"{}\"", tasks.size(), tasks[0].id);
      });
      current_ = environment_.reset(tasks, world_seeds);
    }
    cost_.environment_seconds += seconds_since(clock_, start_);
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
      mapper_.push_back(mappers_ != nullptr ? mappers_->create() : nullptr);
      if (const std::string failure = environment_.failure(i); !failure.empty()) {
        fail(i, failure);
      } else if (mappers_ != nullptr) {
        mapper_[i]->reset(tasks[i].instruction, current_[i].text);
        current_[i].admissible = mapper_[i]->candidates();
      }
      states_.push_back(agent_.begin(
          tasks[i].instruction, agent_.prompt().shown(current_[i]), options_.first_session + i, seed));
    }
  }

  std::vector<Action> act(const std::vector<std::size_t>& running) {
    std::vector<AgentEpisode*> episodes;
    std::vector<std::vector<std::string>> candidates;
    for (const std::size_t slot : running) {
      episodes.push_back(&states_[slot]);
      candidates.push_back(current_[slot].admissible);
    }
    const Watchdog::Wait wait(options_.watchdog,
                              [&] { return "the policy's actions in " + names(running); });
    const auto start = clock_.now();
    std::vector<Action> actions = agent_.act(episodes, candidates);
    cost_.agent_seconds += seconds_since(clock_, start);
    patience_ = clock_.now() - start;
    return actions;
  }

  void submit(const std::vector<std::size_t>& ready, const std::vector<Action>& actions) {
    const Watchdog::Wait wait(options_.watchdog,
                              [&] { return "the environment's answers in " + names(ready); });
    const auto start = clock_.now();
    environment_.submit(ready, actions);
    cost_.environment_seconds += seconds_since(clock_, start);
    cost_.steps += ready.size();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      waiting_.emplace(ready[i], actions[i]);
    }
  }

  // Slots whose episode goes on.
  std::vector<std::size_t> take_answers() {
    const Watchdog::Wait wait(options_.watchdog, [&] {
      std::vector<std::size_t> slots;
      for (const auto& [slot, action] : waiting_) {
        slots.push_back(slot);
      }
      return "the environment's answers in " + names(slots);
    });
    const auto start = clock_.now();
    std::vector<SlotAnswer> answers = environment_.collect(patience_);
    cost_.environment_seconds += seconds_since(clock_, start);
    const double waited = seconds_since(clock_, start_);
    std::vector<std::size_t> ready;
    for (SlotAnswer& answer : answers) {
      const std::size_t slot = answer.slot;
      const Action action = std::move(waiting_.extract(slot).mapped());
      if (const std::string failure = failure_of(slot, answer.result, waited); !failure.empty()) {
        fail(slot, failure);
      } else {
        record(slot, action, std::move(answer.result));
      }
      if (!over_[slot]) {
        ready.push_back(slot);
      }
    }
    return ready;
  }

  // Why an answer can't be used, or "".
  std::string failure_of(std::size_t slot, const StepResult& result, double waited) const {
    const std::string failure = environment_.failure(slot);
    if (!failure.empty()) {
      return failure;
    }
    if (!std::isfinite(result.reward)) {
      return fmt::format("step {} was rewarded with {}, expected a finite number",
                         stories_[slot].steps.size() + 1,
                         result.reward);
    }
    if (options_.episode_seconds > 0 && waited > options_.episode_seconds &&
        !result.terminated && !result.truncated) {
      return fmt::format("the episode was not over after {} s", options_.episode_seconds);
    }
    if (options_.rollout_seconds > 0 && !result.terminated && !result.truncated &&
        seconds_since(clock_, rollout_start_) > options_.rollout_seconds) {
      return fmt::format("the iteration was not over after {} s", options_.rollout_seconds);
    }
    return {};
  }

  void fail(std::size_t slot, const std::string& why) {
    Trajectory& story = stories_[slot];
    settle_outcome(story);
    story.outcome = Outcome::kInfrastructureError;
    over_[slot] = true;
    if (cost_.failed_attempts++ == 0) {
      cost_.first_failure = fmt::format("episode \"{}\": {}", story.episode_id, why);
    }
  }

  void record(std::size_t slot, const Action& action, StepResult result) {
    if (mappers_ != nullptr) {
      mapper_[slot]->observe(action, result.observation.text);
      result.observation.admissible = mapper_[slot]->candidates();
    }
    Trajectory& story = stories_[slot];
    story.steps.push_back(to_transition(std::move(current_[slot]), action, result));
    Transition& step = story.steps.back();
    current_[slot] = std::move(result.observation);
    if (!step.terminated && !step.truncated) {
      agent_.observe(states_[slot], agent_.prompt().shown(current_[slot]));
      step.truncated = story.steps.size() == options_.max_steps || !agent_.has_room(states_[slot]);
    }
    over_[slot] = step.terminated || step.truncated;
    if (over_[slot]) {
      settle_outcome(story);
    }
  }

  // Whom a wait concerns.
  std::string names(const std::vector<std::size_t>& slots) const {
    constexpr std::size_t kShown = 3;
    std::string text = fmt::format("{} episode(s): ", slots.size());
    for (std::size_t i = 0; i < std::min(kShown, slots.size()); ++i) {
      const Trajectory& story = stories_[slots[i]];
      text += fmt::format("{}{} (step {})", i == 0 ? "" : ", ", story.episode_id, story.steps.size() + 1);
    }
    return text + (slots.size() > kShown ? ", ..." : "");
  }

  TokenAgent& agent_;
  EnvironmentBatch& environment_;
  const ActionMapperFactory* mappers_;
  const RolloutOptions& options_;
  std::chrono::nanoseconds rollout_start_;
  RolloutCost& cost_;
  SteadyClock clock_;
  std::chrono::nanoseconds start_{};
  /// How long it pays to wait for more answers: as long as the policy takes to act on them.
  std::chrono::nanoseconds patience_{};
  std::vector<Observation> current_;
  std::vector<Trajectory> stories_;
  std::vector<AgentEpisode> states_;
  std::vector<std::unique_ptr<ActionMapper>> mapper_;
  std::vector<bool> over_;
  std::map<std::size_t, Action> waiting_;  // slots whose answer is due, and what they did
};

std::vector<Task> tasks_of(std::span<const Task> tasks, std::span<const std::size_t> numbers) {
  std::vector<Task> out;
  for (const std::size_t number : numbers) {
    out.push_back(tasks[number]);
  }
  return out;
}

}  // namespace

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
  const double generated_before = agent.generation_seconds();
  std::vector<Episode> episodes(tasks.size());
  if (progress != nullptr) {
    progress->begin("episodes", tasks.size(), "episodes");
  }
  const SteadyClock clock;
  const std::chrono::nanoseconds start = clock.now();
  const auto play = [&](std::span<const std::size_t> numbers) {
    for (std::size_t begin = 0; begin < numbers.size(); begin += options.batch_size) {
      const auto of_wave =
          numbers.subspan(begin, std::min(options.batch_size, numbers.size() - begin));
      Wave wave(agent, environment, mappers, options, start, spent);
      std::vector<Episode> played = wave.play(tasks_of(tasks, of_wave), rng, of_wave);
      for (std::size_t i = 0; i < played.size(); ++i) {
        spent.sampled_tokens += num_sampled(played[i]);
        episodes[of_wave[i]] = std::move(played[i]);
      }
      if (progress != nullptr && numbers.size() == tasks.size()) {
        progress->advance(begin + of_wave.size(), "");
      }
    }
  };
  std::vector<std::size_t> open(tasks.size());  // numbers of the episodes still to be played
  std::iota(open.begin(), open.end(), std::size_t{0});
  play(open);
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
    play(std::span(open).first(std::min(open.size(), left / options.max_steps)));
  }
  for (const Episode& episode : episodes) {
    if (episode.trajectory.outcome == Outcome::kInfrastructureError) {
      ++spent.lost_episodes;
      ++spent.lost_of_tasks[episode.trajectory.task.id];
    }
  }
  spent.generation_seconds = agent.generation_seconds() - generated_before;
  if (progress != nullptr) {
    progress->end("");
  }
  if (cost != nullptr) {
    add_cost(*cost, spent);
  }
  return episodes;
}

}  // namespace dreamgym
