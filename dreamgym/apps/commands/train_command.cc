#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/memory_plan.h"
#include "dreamgym/apps/result_table.h"
#include "dreamgym/apps/run_branch.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_report.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

struct Options {
  std::string config;
  std::string run;
  std::string from;
  std::size_t budget_steps = 0;
  double dream_share = 0;
  std::vector<std::string> assignments;
  bool resume = false;
  bool force = false;
  bool json = false;
};

void run_experiment(const Options& options, const ExperimentConfig& config) {
  const Path folder = options.run;
  check_same_config(folder, config, options.force);
  TerminalProgress progress;
  Experiment experiment(config, folder, progress);
  const RunResults results = experiment.run();
  progress.note(fmt::format("peak memory {}", bytes_text(experiment.peak_bytes())));
  const Path page = report_run(folder);
  if (options.json) {
    fmt::print("{}", results_json_lines(results));
  } else {
    fmt::print("{}\nreport: {}\n", results_table(results), page.string());
  }
}

void run_experiment(const Options& options) {
  ExperimentConfig config = load_experiment(options.config, options.assignments);
  config.check.force = config.check.force || options.force;
  if (std::filesystem::exists(Path(options.run) / "config.toml") && !options.resume) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} already holds a run", options.run),
                "continue it with --resume, or choose another folder");
  }
  run_experiment(options, config);
}

void run_branch(const Options& options) {
  if (!options.config.empty() || !options.assignments.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "--from takes the settings of the run it continues",
                "leave out the configuration file and --set");
  }
  run_experiment(options,
                 branch_run({.from = options.from,
                             .to = options.run,
                             .budget_steps = options.budget_steps,
                             .dream_share = options.dream_share}));
}

}  // namespace

void add_quickstart_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto seed = std::make_shared<std::size_t>(1);
  options->run = "runs/quickstart";
  CLI::App* verb = app.add_subcommand(
      "quickstart",
      "The main job on generated houses: from logs to an agent trained in a dream, checked in reality.\n"
      "Continues if the folder holds an unfinished quickstart.\n"
      "Example: dreamgym quickstart --seed 2 --out runs/quickstart-2");
  verb->add_option("--seed", *seed, "of everything")->capture_default_str();
  verb->add_option("--out", options->run, "run folder; DIR/report.html is the report")->capture_default_str();
  verb->add_option("--set", options->assignments, "section.key=value, may be repeated");
  verb->add_flag("--force", options->force, "train in the dream even if the free-running check fails");
  verb->add_flag("--json", options->json, "the table's rows as JSON lines");
  verb->callback([options, seed] {
    options->resume = true;
    options->assignments.insert(options->assignments.begin(), fmt::format("seed={}", *seed));
    run_experiment(*options);
  });
}

void add_train_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "train",
      "Run the loop a configuration file describes, or give a trained run real steps (S2R).\n"
      "Stages of policy training are sections of the file: dream, traditional, s2r, and the same with\n"
      "_ppo. Each takes an algorithm (grpo, dr_grpo, rloo, reinforce_pp, reinforce_pp_baseline, gigpo,\n"
      "dapo, gspo, cispo, ppo), a preset of published settings (verl-agent, dreamgym, s2r) and keys that\n"
      "override them; arms names the rows of the table (dpo among them). docs/algorithms.md has them all.\n"
      "Example: dreamgym train configs/alfworld_real.toml --run runs/real --set seed=2\n"
      "Example: dreamgym train my.toml --run runs/ppo --set dream.algorithm=ppo --set s2r.algorithm=ppo\n"
      "Example: dreamgym train my.toml --run runs/published --set dream.preset=dreamgym --set dream.algorithm=dapo\n"
      "Example: dreamgym train --from runs/real --budget-steps 2000 --dream-share 0.5 --run runs/real-s2r");
  verb->add_option("config", options->config, "TOML file");
  verb->add_option("--run", options->run, "run folder")->required();
  verb->add_option("--set", options->assignments, "section.key=value, may be repeated");
  verb->add_flag("--resume", options->resume, "continue the run in the folder; without a file: under its own settings");
  CLI::Option* from = verb->add_option("--from", options->from, "run whose dreamed policy goes on in reality");
  CLI::Option* budget = verb->add_option("--budget-steps", options->budget_steps, "with --from: real steps, never exceeded");
  verb->add_option("--dream-share", options->dream_share, "with --from: share of the groups still played in the dream")
      ->check(CLI::Range(0.0, 0.95))
      ->needs(from);
  from->needs(budget);
  budget->needs(from);
  verb->add_flag("--force", options->force, "train in the dream even if the free-running check fails, and continue under changed settings");
  verb->add_flag("--json", options->json, "the table's rows as JSON lines");
  verb->callback([options] {
    if (!options->from.empty()) {
      run_branch(*options);
    } else if (const Path own = Path(options->run) / "config.toml";
               options->config.empty() && options->resume && std::filesystem::exists(own)) {
      options->config = own.string();  // the run knows its own settings
      run_experiment(*options);
    } else if (options->config.empty()) {
      throw Error(ErrorKind::kInvalidArgument,
                  "train: a configuration file or --from RUN is needed",
                  "dreamgym train --help has examples");
    } else {
      run_experiment(*options);
    }
  });
}

}  // namespace dreamgym
