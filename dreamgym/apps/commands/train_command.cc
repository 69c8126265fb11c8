#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/memory_plan.h"
#include "dreamgym/apps/result_table.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_report.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

struct Options {
  std::string config;
  std::string run;
  std::vector<std::string> assignments;
  bool resume = false;
  bool force = false;
  bool json = false;
};

void run_experiment(const Options& options) {
  ExperimentConfig config = load_experiment(options.config, options.assignments);
  config.check.force = config.check.force || options.force;
  const Path folder = options.run;
  if (std::filesystem::exists(folder / "config.toml") && !options.resume) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} already holds a run", folder.string()),
                "continue it with --resume, or choose another folder");
  }
  check_same_config(folder, config);
  TerminalProgress progress;
  Experiment experiment(config, folder, progress);
  const RunResults results = experiment.run();
  progress.note(fmt::format("peak memory {}", bytes_text(peak_resident_bytes())));
  const Path page = report_run(folder);
  if (options.json) {
    fmt::print("{}", results_json_lines(results));
  } else {
    fmt::print("{}\nreport: {}\n", results_table(results), page.string());
  }
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
      "Run the loop a configuration file describes.\n"
      "Example: dreamgym train configs/alfworld_real.toml --run runs/real --set seed=2");
  verb->add_option("config", options->config, "TOML file")->required();
  verb->add_option("--run", options->run, "run folder")->required();
  verb->add_option("--set", options->assignments, "section.key=value, may be repeated");
  verb->add_flag("--resume", options->resume, "continue the run in the folder");
  verb->add_flag("--force", options->force, "train in the dream even if the free-running check fails");
  verb->add_flag("--json", options->json, "the table's rows as JSON lines");
  verb->callback([options] { run_experiment(*options); });
}

}  // namespace dreamgym
