#include "dreamgym/apps/run_fidelity.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/apps/run_policy.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/fidelity_breakdown.h"
#include "dreamgym/eval/hidden_contents.h"
#include "dreamgym/eval/long_dreams.h"
#include "dreamgym/eval/policy_panel.h"

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
void measure_free_running(RunDream& dream,
                          const Path& run_folder,
                          std::size_t episodes,
                          std::size_t threads,
                          std::map<std::string, double>& out) {
  const ExperimentConfig& config = dream.config();
  RunPolicy policy(run_folder, config, threads);
  std::vector<Task> tasks = dream.tasks();
  tasks.resize(std::min(tasks.size(), episodes));
  PanelOptions options;
  options.max_steps = config.max_steps;
  options.provenance = Provenance::kDreamed;
  const PanelResult played =
      evaluate_agent(policy.agent(), dream, dream.mappers(), tasks, Rng(config.seed).fork("eval"), options);
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

// What is invented where nobody has looked, against what really is there.
void measure_contents(RunDream& dream,
                      const std::vector<Trajectory>& held_out,
                      std::size_t draws,
                      std::map<std::string, double>& out) {
  const HiddenContents found = measure_hidden_contents(
      dream.dreamer().dream(), held_out, draws, Rng(dream.config().seed).fork("contents"));
  out["contents_draws"] = static_cast<double>(found.draws);
  out["contents_looks"] = static_cast<double>(found.looks);
  out["contents_chi_square"] = found.test.statistic;
  out["contents_degrees"] = static_cast<double>(found.test.degrees);
  out["contents_p_value"] = found.test.p_value;
  out["contents_exchange_p_value"] = found.exchange_p_value;
  out["contents_distinct_places"] = static_cast<double>(found.places);
  out["contents_real_things"] = found.real_things;
  out["contents_dreamed_things"] = found.dreamed_things;
  out["contents_real_empty"] = found.real_empty;
  out["contents_dreamed_empty"] = found.dreamed_empty;
}

// Contradictions while somebody wanders.
void measure_long_dreams(RunDream& dream, const MeasureRequest& request, std::map<std::string, double>& out) {
  const auto world = experiment_world(dream.config());
  const auto auditor = world != nullptr ? world->make_episode_auditor() : nullptr;
  if (auditor == nullptr || dream.mappers() == nullptr) {
    throw Error(ErrorKind::kUnsupported,
                "--long-steps: this run's world has no rule check of an episode's text",
                "leave it out");
  }
  std::vector<Task> tasks = dream.tasks();
  tasks.resize(std::min(tasks.size(), request.episodes));
  const LongDreams found =
      audit_long_dreams(wander(dream,
                               *dream.mappers(),
                               tasks,
                               request.long_steps,
                               Rng(dream.config().seed).fork("wander")),
                        *auditor);
  out["long_steps"] = static_cast<double>(found.steps);
  out["long_contradictions"] = static_cast<double>(found.contradictions);
  out["long_contradictions_per_step"] = share(found.contradictions, found.steps);
  out["long_second_looks"] = static_cast<double>(found.second_looks);
  out["long_second_looks_agree"] = share(found.agreeing, found.second_looks);
}

}  // namespace

std::map<std::string, double> fidelity_measures(const ExperienceFidelity& fidelity) {
  std::map<std::string, double> out = {{"held_out_steps", static_cast<double>(fidelity.steps())},
                                       {"predictable_steps", static_cast<double>(fidelity.predictable.steps)},
                                       {"hidden_steps", static_cast<double>(fidelity.hidden.steps)},
                                       {"true_successes", static_cast<double>(fidelity.true_successes)},
                                       {"missed_successes", static_cast<double>(fidelity.missed_successes)},
                                       {"false_successes", static_cast<double>(fidelity.false_successes)}};
  const auto put = [&](const char* name, std::size_t right, std::size_t steps) {
    if (steps > 0) {  // a share of nothing is not 0%
      out[name] = share(right, steps);
    }
  };
  const StepAccuracy& known = fidelity.predictable;
  const StepAccuracy& hidden = fidelity.hidden;
  put("predictable_observation_exact", known.observation_exact, known.steps);
  put("predictable_trace_exact", known.trace_exact, known.steps);
  put("predictable_admissible_exact", known.admissible_exact, known.steps);
  put("revisited_observation_exact", fidelity.revisited.observation_exact, fidelity.revisited.steps);
  put("hidden_observation_exact", hidden.observation_exact, hidden.steps);
  put("hidden_admissible_exact", hidden.admissible_exact, hidden.steps);
  put("reward_correct", fidelity.reward_correct, fidelity.steps());
  put("end_correct", fidelity.end_correct, fidelity.steps());
  put("unparsable_share", fidelity.unparsable, fidelity.steps());
  return out;
}

BoundInputs bound_errors(const std::map<std::string, double>& measures) {
  const auto right = [&](const char* name, const char* steps) {
    const auto found = measures.find(name);
    return found == measures.end() ? 0.0 : found->second * measures.at(steps);
  };
  const double steps = measures.at("held_out_steps");
  const double exact = right("predictable_observation_exact", "predictable_steps") +
                       right("hidden_observation_exact", "hidden_steps");
  BoundInputs inputs;
  inputs.reward_error = steps > 0 ? 1.0 - measures.at("reward_correct") : 1.0;
  inputs.transition_error = steps > 0 ? 1.0 - exact / steps : 1.0;
  return inputs;
}

std::map<std::string, double> measure_run(const Path& run_folder, const MeasureRequest& request) {
  const ExperimentConfig config = read_run_config(run_folder);
  const Path file = request.logs.empty() ? run_folder / "data" / "held_out.jsonl" : Path(request.logs);
  if (request.logs.empty() && !std::filesystem::exists(file)) {
    throw Error(ErrorKind::kNotFound,
                run_folder.string() + " kept no episodes apart to measure on",
                "name explained episodes of other tasks with --logs");
  }
  std::vector<Trajectory> held_out = read_trajectories(file);
  held_out.resize(std::min(held_out.size(), request.episodes));
  const auto world = experiment_world(config);
  for (Trajectory& story : held_out) {
    const bool explained = std::all_of(story.steps.begin(), story.steps.end(), [](const auto& step) {
      return !step.reasoning_trace.empty();
    });
    if (!explained && world != nullptr) {
      world->make_explainer()->explain(story);
    }
  }
  RunDream dream(run_folder, request.threads);
  const auto mappers = world != nullptr ? world->make_action_mapper_factory() : nullptr;
  const ExperienceFidelity fidelity = dream.dreamer().fidelity(held_out, mappers.get());
  std::map<std::string, double> out = fidelity_measures(fidelity);
  std::set<std::string> known_places;
  for (const Trajectory& story : read_run_trajectories(run_folder / "data" / "offline.jsonl")) {
    known_places.insert(place_of(story));
  }
  out.merge(fidelity_breakdown(fidelity.predictions, [&](std::size_t episode) {
    return known_places.contains(place_of(held_out[episode]));
  }));
  measure_free_running(dream, run_folder, request.episodes, request.threads, out);
  if (request.draws > 0) {
    measure_contents(dream, held_out, request.draws, out);
  }
  if (request.long_steps > 0) {
    measure_long_dreams(dream, request, out);
  }
  return out;
}

}  // namespace dreamgym
