#include "dreamgym/eval/policy_panel.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {
namespace {

void summarise(PanelResult& result) {
  std::size_t successes = 0;
  std::map<std::string, std::pair<std::size_t, std::size_t>> types;  // successes, trials
  for (const Episode& episode : result.episodes) {
    if (episode.trajectory.outcome == Outcome::kInfrastructureError) {
      ++result.infrastructure_errors;
      continue;
    }
    const bool success = episode.trajectory.success();
    successes += success ? 1 : 0;
    result.mean_return += episode.trajectory.episode_return;
    const auto& settings = episode.trajectory.task.settings;
    const auto type = settings.find(task_settings::kType);
    if (type != settings.end()) {
      auto& [won, played] = types[type->second];
      won += success ? 1 : 0;
      ++played;
    }
  }
  const std::size_t played = result.episodes.size() - result.infrastructure_errors;
  result.success = wilson_interval(successes, played);
  result.mean_return /= static_cast<double>(std::max<std::size_t>(played, 1));
  for (const auto& [type, counts] : types) {
    result.by_type[type] = wilson_interval(counts.first, counts.second);
  }
}

Trajectory play_scripted(ScriptedPolicy& policy,
                         Environment& environment,
                         const Task& task,
                         std::uint64_t seed,
                         const PanelOptions& options) {
  Trajectory story;
  story.task = task;
  story.seed = seed;
  story.provenance = options.provenance;
  Observation current = environment.reset(task, task.seed);
  policy.reset(task, current, seed);
  for (std::size_t t = 0; t < options.max_steps; ++t) {
    const Action action = policy.act();
    StepResult result = environment.step(action);
    policy.observe(action, result.observation);
    story.steps.push_back(to_transition(std::move(current), action, result));
    Transition& step = story.steps.back();
    step.truncated = result.truncated || (!result.terminated && t + 1 == options.max_steps);
    current = std::move(result.observation);
    if (step.terminated || step.truncated) {
      break;
    }
  }
  settle_outcome(story);
  return story;
}

}  // namespace

Estimate success_of(std::span<const Trajectory> stories) {
  const auto successes =
      std::ranges::count_if(stories, [](const Trajectory& story) { return story.success(); });
  return wilson_interval(static_cast<std::size_t>(successes), stories.size());
}

std::vector<double> PanelResult::outcomes() const {
  std::vector<double> out;
  for (const Episode& episode : episodes) {
    out.push_back(episode.trajectory.success() ? 1.0 : 0.0);
  }
  return out;
}

PanelResult evaluate_agent(TokenAgent& agent,
                           EnvironmentBatch& environment,
                           const ActionMapperFactory* mappers,
                           std::span<const Task> panel,
                           const Rng& rng,
                           const PanelOptions& options,
                           ProgressSink* progress) {
  const SteadyClock clock;
  const auto start = clock.now();
  PanelResult result;
  RolloutCost cost;
  result.episodes = play_episodes(agent,
                                  environment,
                                  mappers,
                                  panel,
                                  rng,
                                  {.max_steps = options.max_steps,
                                   .batch_size = options.batch_size,
                                   .provenance = options.provenance,
                                   .simulator_version = options.simulator_version},
                                  &cost,
                                  progress);
  result.environment_steps = cost.steps;
  result.sampled_tokens = cost.sampled_tokens;
  result.seconds = seconds_since(clock, start);
  summarise(result);
  return result;
}

PanelResult evaluate_scripted(ScriptedPolicy& policy,
                              Environment& environment,
                              std::span<const Task> panel,
                              const Rng& rng,
                              const PanelOptions& options) {
  const SteadyClock clock;
  const auto start = clock.now();
  PanelResult result;
  for (std::size_t i = 0; i < panel.size(); ++i) {
    Episode episode;
    episode.trajectory = play_scripted(
        policy, environment, panel[i], rng.fork("episode", i).next(), options);
    episode.trajectory.episode_id = fmt::format("{}#{}", panel[i].id, i);
    result.environment_steps += episode.trajectory.steps.size();
    result.episodes.push_back(std::move(episode));
  }
  result.seconds = seconds_since(clock, start);
  summarise(result);
  return result;
}

}  // namespace dreamgym
