#include "dreamgym/apps/run_judge.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/apps/run_policy.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/eval/policy_panel.h"
#include "dreamgym/experience/reality_witness.h"

namespace dreamgym {
namespace {

// Source: DreamGym (arXiv 2511.03773) Fig. 4, read off its bars (WebShop, GPT-4o as judge).
struct PaperBar {
  const char* name;
  std::array<double, kNumCriteria> scores;
};
constexpr PaperBar kPaper[] = {{"real", {1.2, 1.3, 1.4, 1.5}},
                               {"DreamGym", {1.6, 1.5, 1.6, 1.7}},
                               {"no history", {0.8, 1.4, 1.3, 1.4}},
                               {"no reasoning", {1.3, 1.3, 1.1, 1.2}}};

std::vector<Trajectory> dream_episodes(const JudgeRequest& request, const Path& file) {
  if (std::filesystem::exists(file)) {
    std::vector<Trajectory> known = read_trajectories(file);
    if (known.size() >= request.episodes) {
      known.resize(request.episodes);
      return known;
    }
  }
  RunDream dream(request.run, request.threads);
  const ExperimentConfig& config = dream.config();
  RunPolicy policy(request.run, config, request.threads);
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < request.episodes && !dream.tasks().empty(); ++i) {
    tasks.push_back(dream.tasks()[i % dream.tasks().size()]);
  }
  PanelOptions options;
  options.max_steps = config.max_steps;
  options.provenance = Provenance::kDreamed;
  options.simulator_version = dream.dreamer().version();
  const PanelResult played =
      evaluate_agent(policy.agent(), dream, dream.mappers(), tasks, Rng(config.seed).fork("judge"), options);
  std::vector<Trajectory> stories;
  for (const Episode& episode : played.episodes) {
    if (episode.trajectory.outcome != Outcome::kInfrastructureError) {
      stories.push_back(episode.trajectory);
    }
  }
  make_folder(file.parent_path());
  write_trajectories(file, stories);
  return stories;
}

// As a dream takes in what happened.
StepResult to_result(const Transition& step) {
  StepResult result;
  result.observation = step.next_observation;
  result.reward = step.reward;
  result.terminated = step.terminated;
  result.truncated = step.truncated;
  return result;
}

// Judges a story's steps as far as it is a real one.
void judge_by_engine(RealityWitness& witness, const Trajectory& story, std::span<JudgedStep> steps) {
  Task task = story.task;
  task.settings[task_settings::kFirstObservation] = story.steps.front().observation.text;
  const std::uint64_t seed = task.seed;
  (void)witness.reset(std::span(&task, 1), std::span(&seed, 1));
  const std::size_t slot = 0;
  for (std::size_t t = 0; t < story.steps.size(); ++t) {
    const Action& action = story.steps[t].action;
    const StepResult truth = witness.propose(std::span(&slot, 1), std::span(&action, 1)).front();
    if (truth.info.contains(dream_info::kNoAnswer)) {
      return;  // and so it is for every later step
    }
    steps[t].scores = judge_against_truth(story.steps[t], truth);
    steps[t].judge = "rules";
    const StepResult happened = to_result(story.steps[t]);
    witness.commit(std::span(&slot, 1), std::span(&action, 1), std::span(&happened, 1));
  }
}

std::string interval(const std::optional<Estimate>& estimate) {
  return estimate ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", estimate->value, estimate->low, estimate->high) : "-";
}

}  // namespace

RunJudgement judge_run(const JudgeRequest& request, ProgressSink& progress) {
  const ExperimentConfig config = read_run_config(request.run);
  const auto world = experiment_world(config);
  // Logged tasks are not known to be playable.
  const bool knows_truth = request.by_rules && world != nullptr && config.data.logs.empty();
  if (!knows_truth && request.model == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("nobody can judge {}: {}",
                            request.run.string(),
                            request.by_rules ? "no engine knows its tasks" : "the rules are switched off"),
                "name a language model with --judge URL --judge-model NAME");
  }
  const Path folder = request.run / "judge";
  RunJudgement out;
  out.stories = request.episodes_file.empty() ? dream_episodes(request, folder / "episodes.jsonl")
                                              : read_trajectories(request.episodes_file);
  out.stories.resize(std::min(out.stories.size(), request.episodes));
  std::erase_if(out.stories, [](const Trajectory& story) { return story.steps.empty(); });
  for (std::size_t i = 0; i < out.stories.size(); ++i) {
    for (std::size_t t = 0; t < out.stories[i].steps.size(); ++t) {
      out.steps.push_back({i, t, std::nullopt, ""});
    }
  }
  if (knows_truth) {
    RealityWitness witness([&world] { return world->make_environment(); }, {});
    std::size_t begin = 0;
    for (const Trajectory& story : out.stories) {
      judge_by_engine(witness, story, std::span(out.steps).subspan(begin, story.steps.size()));
      begin += story.steps.size();
    }
    out.real_steps = witness.real_steps();
  }
  if (request.model != nullptr) {
    make_folder(folder);
    out.model = judge_by_model(
        *request.model, out.stories, out.steps, request.domain, folder / "journal.jsonl", progress);
  }
  return out;
}

std::string judgement_lines(const RunJudgement& judgement) {
  std::string lines;
  for (const JudgedStep& step : judgement.steps) {
    nlohmann::ordered_json line = {{"rubric", kRubricVersion},
                                   {"judge", step.judge},
                                   {"episode_id", judgement.stories[step.episode].episode_id},
                                   {"step", step.step}};
    for (std::size_t c = 0; c < kNumCriteria; ++c) {
      line[kCriteria[c]] = step.scores ? nlohmann::ordered_json(step.scores->scores[c]) : nlohmann::ordered_json();
    }
    line["reason"] = step.scores ? step.scores->reason : "";
    lines += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return lines;
}

std::string judgement_table(const RunJudgement& judgement) {
  std::vector<JudgedStep> by_rules;
  std::vector<JudgedStep> by_model;
  std::size_t unjudged = 0;
  std::string model;
  for (const JudgedStep& step : judgement.steps) {
    if (!step.scores) {
      ++unjudged;
    } else if (step.judge == "rules") {
      by_rules.push_back(step);
    } else {
      model = step.judge;
      by_model.push_back(step);
    }
  }
  model = model.empty() ? "model" : model;
  const std::size_t width = std::max<std::size_t>(20, model.size());
  std::string text = fmt::format("{:<16} {:<20} {:<{}}", "0 to 2", "rules", model, width);
  for (const PaperBar& bar : kPaper) {
    text += fmt::format(" {:>13}", bar.name);
  }
  text += "\n";
  for (std::size_t c = 0; c < kNumCriteria; ++c) {
    text += fmt::format("{:<16} {:<20} {:<{}}",
                        kCriteria[c],
                        interval(criterion_mean(by_rules, c)),
                        interval(criterion_mean(by_model, c)),
                        width);
    for (const PaperBar& bar : kPaper) {
      text += fmt::format(" {:>13.1f}", bar.scores[c]);
    }
    text += "\n";
  }
  return text + fmt::format(
                    "{} episodes, {} steps: {} judged by rules against the engine ({} real steps), {} by the model, {} by nobody.\n"
                    "The last four columns are the paper's Fig. 4, read off its bars: another judge, world and model. Rubric: {}.\n",
                    judgement.stories.size(),
                    judgement.steps.size(),
                    by_rules.size(),
                    judgement.real_steps,
                    by_model.size(),
                    unjudged,
                    kRubricVersion);
}

}  // namespace dreamgym
