#include "dreamgym/eval/long_dreams.h"

#include <memory>

#include <fmt/format.h>

#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {

std::vector<Trajectory> wander(EnvironmentBatch& dream,
                               const ActionMapperFactory& mappers,
                               std::span<const Task> tasks,
                               std::size_t num_steps,
                               const Rng& rng) {
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    seeds.push_back(rng.fork("world", i).next());
  }
  const auto opened = dream.reset(tasks, seeds);
  std::vector<Trajectory> stories(tasks.size());
  std::vector<std::unique_ptr<ActionMapper>> eyes;
  std::vector<Observation> now = opened;
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    stories[i].episode_id = fmt::format("wander-{}", i);
    stories[i].task = tasks[i];
    stories[i].seed = seeds[i];
    stories[i].provenance = Provenance::kDreamed;
    stories[i].policy_version = "wanderer";
    eyes.push_back(mappers.create());
    eyes.back()->reset(tasks[i].instruction, opened[i].text);
    running.push_back(i);
  }
  for (std::size_t t = 0; t < num_steps && !running.empty(); ++t) {
    std::vector<Action> actions;
    for (const std::size_t i : running) {
      Rng stream = rng.fork("episode", i).fork("step", t);
      actions.push_back(stream.choose(eyes[i]->candidates()));
    }
    const auto results = dream.step(running, actions);
    std::vector<std::size_t> still;
    for (std::size_t j = 0; j < running.size(); ++j) {
      const std::size_t i = running[j];
      stories[i].steps.push_back(to_transition(now[i], actions[j], results[j]));
      now[i] = results[j].observation;
      eyes[i]->observe(actions[j], now[i].text);
      if (!results[j].terminated && !results[j].truncated) {
        still.push_back(i);
      }
    }
    running = std::move(still);
  }
  for (Trajectory& story : stories) {
    settle_outcome(story);
  }
  return stories;
}

LongDreams audit_long_dreams(std::span<const Trajectory> episodes, const EpisodeAuditor& auditor) {
  LongDreams found;
  for (const Trajectory& story : episodes) {
    const EpisodeAudit audit = auditor.audit(story);
    ++found.episodes;
    found.steps += story.steps.size();
    found.contradictions += audit.num_contradictions;
    found.second_looks += audit.num_second_looks;
    found.agreeing += audit.num_agreeing;
    if (found.first_contradiction.empty()) {
      found.first_contradiction = audit.first_contradiction;
    }
  }
  return found;
}

}  // namespace dreamgym
