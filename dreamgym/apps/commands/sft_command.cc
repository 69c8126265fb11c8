#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/domain_vocabulary.h"
#include "dreamgym/apps/experience_refresh.h"
#include "dreamgym/apps/policy_model.h"
#include "dreamgym/apps/run_recorder.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/experience/training_data.h"

namespace dreamgym {
namespace {

struct Options {
  std::string logs;
  std::string kind = "experience";
  std::string base = "models/nano";
  std::string run;
  std::vector<std::string> assignments;
  std::string continued;  // run whose experience model is taught again
  double epochs = 1;
  double held_out = 0.2;
};

// What an experience model is taught: its joint loss.
std::vector<TrainingSequence> of_experience(const ExperimentConfig& config,
                                            const DomainModel& domain,
                                            const std::vector<Trajectory>& stories) {
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  buffer.add(stories);
  const ExperiencePrompt prompt(domain.model.tokenizer, config.experience.max_demonstration_tokens);
  return experience_sequences(
      prompt, stories, &buffer, config.experience_data, Rng(config.seed).fork("sft"));
}

// What a policy is taught: the actions of successful episodes.
std::vector<TrainingSequence> of_policy(const ExperimentConfig& config,
                                        const PolicyModel& policy,
                                        const std::vector<Trajectory>& stories) {
  std::vector<Trajectory> successes;
  std::ranges::copy_if(
      stories, std::back_inserter(successes), [](const Trajectory& story) { return story.success(); });
  return policy.prompt->demonstrations(
      successes, config.experience_data.max_tokens, config.agent.history_steps);
}

// @param names  tokens that can stand for each other.
SftReport teach(TrainableModel& model,
                std::vector<TrainingSequence> lessons,
                const std::vector<TokenId>& names,
                const ExperimentConfig& config,
                const Options& options) {
  const Path folder = options.run;
  TerminalProgress progress;
  RunRecorder recorder(folder, nullptr, 0);
  const SftConfig& training =
      options.kind == "experience" ? config.experience_sft : config.start_sft;
  const TeachingPlan plan = epoch_plan(
      std::move(lessons), training, Rng(config.seed).fork("order"), names);
  return train_sft(
      model, plan, training, {options.kind, &recorder, &progress, &recorder, folder / "checkpoints"});
}

// A pretrained model has names and format of its own; ours gets the domain's names.
bool is_pretrained(const Path& base) {
  return load_model_config(base).family != TransformerConfig{}.family;
}

void refresh(const Options& options) {
  if (options.kind != "experience" || !options.run.empty() || !options.assignments.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "--continue teaches a run's experience model again, under the run's settings",
                "leave out --kind policy, --run and --set");
  }
  TerminalProgress progress;
  fmt::print("{}",
             refresh_table(refresh_experience({.run = options.continued,
                                               .logs = options.logs,
                                               .epochs = options.epochs,
                                               .held_out_share = options.held_out},
                                              progress)));
}

void sft(const Options& options) {
  if (!options.continued.empty()) {
    refresh(options);
    return;
  }
  if (options.run.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "sft: no folder for the model",
                "name one with --run, or a run whose experience model is to be taught again with --continue");
  }
  const ExperimentConfig config = load_experiment("", options.assignments);
  const std::vector<Trajectory> stories = read_trajectories(options.logs);
  const Path folder = options.run;
  make_folder(folder);
  const FolderLock lock(folder);
  const Path out = folder / "models" / options.kind;
  make_folder(out.parent_path());
  SftReport report;
  if (options.kind == "policy" && is_pretrained(options.base)) {
    const PolicyModel start =
        ready_to_train(load_policy(options.base, chat_of(config.policy)), config.policy);
    TrainableModel model = trainable_policy(
        start, config.policy, Rng(config.seed).fork("adapter").next(), config.threads);
    report = teach(model, of_policy(config, start, stories), {}, config, options);
    save_policy(model, start, options.kind, out);
  } else {
    const DomainModel domain = adapt_vocabulary(load_model(options.base),
                                                stories,
                                                vocabulary_plan(config.base),
                                                Rng(config.seed).fork("vocabulary"));
    auto lessons = options.kind == "experience"
                       ? of_experience(config, domain, stories)
                       : of_policy(config, policy_of(domain.model), stories);
    TrainableModel model(domain.model.weights, config.threads);
    if (options.kind == "policy") {
      model.set_compute(compute_type_named(config.policy.compute));
    }
    report = teach(model, std::move(lessons), domain.content_names, config, options);
    save_model({model.weights(options.kind), domain.model.tokenizer}, out);
  }
  fmt::print("{}: {} updates, {} tokens\n", out.string(), report.updates, report.tokens);
}

}  // namespace

void add_sft_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "sft",
      "Supervised fine-tuning of an experience model (Eq. 5) or of a policy (successful episodes).\n"
      "Example: dreamgym sft explained.jsonl --kind experience --run runs/sft --set experience_sft.epochs=3\n"
      "Example: dreamgym sft new.jsonl --continue runs/mine --epochs 1");
  verb->add_option("logs", options->logs, "canonical JSONL; for an experience model with reasoning traces")
      ->required();
  verb->add_option("--kind", options->kind, "experience or policy")
      ->check(CLI::IsMember({"experience", "policy"}))
      ->capture_default_str();
  verb->add_option("--base", options->base, "model to start from; for a policy also any pretrained one, with the keys of [policy]")->capture_default_str();
  verb->add_option("--run", options->run, "run folder; continues what is there");
  verb->add_option("--continue", options->continued, "run whose experience model is taught its own data and these logs; the old model is kept and both are measured on what is held out");
  verb->add_option("--epochs", options->epochs, "with --continue")->check(CLI::Range(0.01, 1000.0))->capture_default_str();
  verb->add_option("--held-out", options->held_out, "with --continue: share of the logs that is only measured on")->check(CLI::Range(0.0, 0.95))->capture_default_str();
  verb->add_option("--set", options->assignments, "section.key=value as for `train`, may be repeated");
  verb->callback([options] { sft(*options); });
}

}  // namespace dreamgym
