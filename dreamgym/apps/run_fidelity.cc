#include "dreamgym/apps/run_fidelity.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/apps/policy_collect.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/fidelity_breakdown.h"

namespace dreamgym {
namespace {

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Where an episode plays: its game, else what it first shows.
std::string place_of(const Trajectory& story) {
  const auto game = story.task.settings.find(task_settings::kGame);
  if (game != story.task.settings.end()) {
    return game->second;
  }
  return story.steps.empty() ? "" : story.steps.front().observation.text;
}

// Dreamed episodes of the run's best policy, replayed under other seeds and in reality.
void measure_free_running(const Path& run_folder,
                          const ExperimentConfig& config,
                          std::size_t episodes,
                          std::size_t threads,
                          std::map<std::string, double>& out) {
  RunDream dream(run_folder, threads);
  const PolicyModel policy = load_policy(policy_folder(run_folder.string()));
  GenerationEngine engine(policy.weights,
                          policy.language.tokenizer,
                          {.num_threads = threads,
                           .weights = config.policy.weights,
                           .cache = config.policy.cache});
  TokenAgent agent(engine, policy.prompt, {.temperature = config.evaluation.temperature});
  std::vector<Task> tasks = dream.tasks();
  tasks.resize(std::min(tasks.size(), episodes));
  PanelOptions options;
  options.max_steps = config.max_steps;
  options.provenance = Provenance::kDreamed;
  const PanelResult played =
      evaluate_agent(agent, dream, dream.mappers(), tasks, Rng(config.seed).fork("eval"), options);
  const EnvironmentLuck luck = measure_environment_luck(
      dream, played.episodes, config.evaluation.luck_replays, Rng(config.seed).fork("luck"));
  out["dreamed_success"] = played.success.value;
  out["luck_return_deviation"] = luck.return_deviation;
  out["luck_flipped_share"] = luck.flipped_share;
  const auto world = experiment_world(config);
  if (world == nullptr || !config.data.logs.empty()) {
    return;  // logged tasks are not known to be playable
  }
  SingleEnvironmentBatch reality([&] { return world->make_environment(); }, threads);
  const DreamToReal replayed = replay_in_reality(reality, played.episodes);
  out["replay_dreamed_successes"] = static_cast<double>(replayed.dreamed_successes);
  out["replay_real_successes"] = static_cast<double>(replayed.real_successes);
  out["replay_confirmed"] = static_cast<double>(replayed.confirmed_successes);
  out["replay_same_observation"] = share(replayed.same_observation, replayed.steps);
  out.merge(drift_breakdown(replayed));
}

}  // namespace

std::map<std::string, double> fidelity_measures(const ExperienceFidelity& fidelity) {
  const StepAccuracy& known = fidelity.predictable;
  const StepAccuracy& hidden = fidelity.hidden;
  return {{"held_out_steps", static_cast<double>(fidelity.steps())},
          {"predictable_steps", static_cast<double>(known.steps)},
          {"hidden_steps", static_cast<double>(hidden.steps)},
          {"predictable_observation_exact", share(known.observation_exact, known.steps)},
          {"predictable_trace_exact", share(known.trace_exact, known.steps)},
          {"predictable_admissible_exact", share(known.admissible_exact, known.steps)},
          {"revisited_observation_exact",
           share(fidelity.revisited.observation_exact, fidelity.revisited.steps)},
          {"hidden_observation_exact", share(hidden.observation_exact, hidden.steps)},
          {"hidden_admissible_exact", share(hidden.admissible_exact, hidden.steps)},
          {"reward_correct", share(fidelity.reward_correct, fidelity.steps())},
          {"end_correct", share(fidelity.end_correct, fidelity.steps())},
          {"true_successes", static_cast<double>(fidelity.true_successes)},
          {"missed_successes", static_cast<double>(fidelity.missed_successes)},
          {"false_successes", static_cast<double>(fidelity.false_successes)},
          {"unparsable_share", share(fidelity.unparsable, fidelity.steps())}};
}

std::map<std::string, double> measure_run(const Path& run_folder,
                                          const std::string& logs,
                                          std::size_t episodes,
                                          std::size_t threads) {
  const ExperimentConfig config = read_run_config(run_folder);
  const Path file = logs.empty() ? run_folder / "data" / "held_out.jsonl" : Path(logs);
  if (logs.empty() && !std::filesystem::exists(file)) {
    throw Error(ErrorKind::kNotFound,
                run_folder.string() + " kept no episodes apart to measure on",
                "name explained episodes of other tasks with --logs");
  }
  std::vector<Trajectory> held_out = read_trajectories(file);
  held_out.resize(std::min(held_out.size(), episodes));
  const auto world = experiment_world(config);
  for (Trajectory& story : held_out) {
    const bool explained = std::all_of(story.steps.begin(), story.steps.end(), [](const auto& step) {
      return !step.reasoning_trace.empty();
    });
    if (!explained && world != nullptr) {
      world->make_explainer()->explain(story);
    }
  }
  const ModelFiles model = load_model(run_folder / "models" / "experience");
  GenerationEngine engine(model.weights, model.tokenizer, {.num_threads = threads});
  const ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>(), run_folder / "experience.sqlite");
  const auto mappers = world != nullptr ? world->make_action_mapper_factory() : nullptr;
  const ExperienceFidelity fidelity = measure_fidelity(
      engine, model.tokenizer, &buffer, config.experience, held_out, mappers.get());
  std::map<std::string, double> out = fidelity_measures(fidelity);
  std::set<std::string> known_places;
  for (const Trajectory& story : read_trajectories(run_folder / "data" / "offline.jsonl")) {
    known_places.insert(place_of(story));
  }
  out.merge(fidelity_breakdown(fidelity.predictions, [&](std::size_t episode) {
    return known_places.contains(place_of(held_out[episode]));
  }));
  measure_free_running(run_folder, config, episodes, threads, out);
  return out;
}

}  // namespace dreamgym
