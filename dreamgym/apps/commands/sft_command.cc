#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/domain_vocabulary.h"
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
};

// What is taught: the experience model's joint loss, or the actions of successful episodes.
std::vector<TrainingSequence> lessons(const Options& options,
                                      const ExperimentConfig& config,
                                      const DomainModel& domain,
                                      const std::vector<Trajectory>& stories) {
  if (options.kind == "experience") {
    ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
    buffer.add(stories);
    const ExperiencePrompt prompt(domain.model.tokenizer, config.experience.max_demonstration_tokens);
    return experience_sequences(
        prompt, stories, &buffer, config.experience_data, Rng(config.seed).fork("sft"));
  }
  std::vector<Trajectory> successes;
  std::ranges::copy_if(
      stories, std::back_inserter(successes), [](const Trajectory& story) { return story.success(); });
  return AgentPrompt(domain.model.tokenizer)
      .demonstrations(successes, config.experience_data.max_tokens, config.agent.history_steps);
}

void sft(const Options& options) {
  const ExperimentConfig config = load_experiment("", options.assignments);
  const std::vector<Trajectory> stories = read_trajectories(options.logs);
  TerminalProgress progress;
  const Path folder = options.run;
  make_folder(folder);
  const FolderLock lock(folder);
  RunRecorder recorder(folder, nullptr, 0);
  const DomainModel domain = adapt_vocabulary(
      load_model(options.base), stories, vocabulary_plan(config.base), Rng(config.seed).fork("vocabulary"));
  const SftConfig& training =
      options.kind == "experience" ? config.experience_sft : config.start_sft;
  TrainableModel model(domain.model.weights, config.threads);
  const TeachingPlan plan = epoch_plan(lessons(options, config, domain, stories),
                                       training,
                                       Rng(config.seed).fork("order"),
                                       domain.content_names);
  const SftReport report = train_sft(
      model, plan, training, {options.kind, &recorder, &progress, &recorder, folder / "checkpoints"});
  const Path out = folder / "models" / options.kind;
  make_folder(out.parent_path());
  save_model({model.weights(options.kind), domain.model.tokenizer}, out);
  fmt::print("{}: {} updates, {} tokens\n", out.string(), report.updates, report.tokens);
}

}  // namespace

void add_sft_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "sft",
      "Supervised fine-tuning of an experience model (Eq. 5) or of a policy (successful episodes).\n"
      "Example: dreamgym sft explained.jsonl --kind experience --run runs/sft --set experience_sft.epochs=3");
  verb->add_option("logs", options->logs, "canonical JSONL; for an experience model with reasoning traces")
      ->required();
  verb->add_option("--kind", options->kind, "experience or policy")
      ->check(CLI::IsMember({"experience", "policy"}))
      ->capture_default_str();
  verb->add_option("--base", options->base, "model folder to start from")->capture_default_str();
  verb->add_option("--run", options->run, "run folder; continues what is there")->required();
  verb->add_option("--set", options->assignments, "section.key=value as for `train`, may be repeated");
  verb->callback([options] { sft(*options); });
}

}  // namespace dreamgym
