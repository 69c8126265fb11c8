#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_report.h"
#include "dreamgym/apps/table1.h"
#include "dreamgym/apps/table1_transfer.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct Options {
  std::string world = "alfworld";
  std::string scale = "small";
  std::size_t seeds = 3;
  std::string config;
  std::string out;
  std::string transfer;
  std::vector<std::string> assignments;
  bool force = false;
};

void require_usable(const Options& options) {
  if (options.seeds == 0) {
    throw Error(ErrorKind::kInvalidArgument, "--seeds 0: there is nothing to run", "give it 1 or more");
  }
  if (options.config.empty() && options.world != "alfworld") {
    throw Error(ErrorKind::kConfig,
                fmt::format("--world {} has no settings of its own", options.world),
                "name a configuration of that world with --config FILE");
  }
}

ExperimentConfig config_of(const Options& options, std::size_t seed) {
  std::vector<std::string> assignments = table1_settings(options.scale);
  assignments.insert(assignments.end(), options.assignments.begin(), options.assignments.end());
  assignments.push_back(fmt::format("world={}", options.world));
  assignments.push_back(fmt::format("seed={}", seed));
  ExperimentConfig config = load_experiment(options.config, assignments);
  config.check.force = config.check.force || options.force;
  return config;
}

std::string command_of(const Options& options) {
  std::string command = fmt::format("dreamgym reproduce table1 --world {} --scale {} --seeds {}",
                                    options.world,
                                    options.scale,
                                    options.seeds);
  command += options.transfer.empty() ? "" : " --transfer " + Path(options.transfer).filename().string();
  command += options.config.empty() ? "" : " --config " + Path(options.config).filename().string();
  for (const std::string& assignment : options.assignments) {
    command += " --set " + assignment;
  }
  return command;
}

void reproduce_table1(const Options& options) {
  require_usable(options);
  const Path out = options.out;
  Table1Request request{options.world, options.scale, command_of(options), {}, ""};
  Grid grid = table1_grid(request);  // refuses an unknown world before hours are spent
  TerminalProgress progress;
  for (std::size_t seed = 1; seed <= options.seeds; ++seed) {
    const Path folder = out / fmt::format("seed-{}", seed);
    const ExperimentConfig config = config_of(options, seed);
    check_same_config(folder, config, options.force);
    progress.note(fmt::format("seed {} of {}: {}", seed, options.seeds, folder.string()));
    const ExperimentConfig other = transfer_config(options.transfer, config, options.scale);
    request.transfer_world = other.world;
    Experiment(config, folder, progress).run();
    evaluate_transfer(folder, other, progress);
    report_run(folder);
    request.seed_folders.push_back(folder);
    grid = table1_grid(request);  // after each seed, so that there is something to look at
    write_file(out / "table1.md", grid_markdown(grid));
    write_file(out / "table1.html", grid_html(grid));
  }
  fmt::print("{}\npage: {}\n", grid_markdown(grid), (out / "table1.html").string());
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("reproduce", "Run a table of the paper on this machine.");
  verb->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* table = verb->add_subcommand(
      "table1",
      "Table 1: SFT, DPO, PPO and GRPO in reality, in the dream, and S2R; the paper's figures beside "
      "ours.\n"
      "With it Fig. 3: success over wall time and real steps, transfer to another world, without "
      "curriculum.\n"
      "A run folder a seed, whose experience model its cells share; repeat the command to continue.\n"
      "Example: dreamgym reproduce table1 --world alfworld --scale small --seeds 3 --out runs/table1");
  table->add_option("--world", options->world, "alfworld, or another with --config")->capture_default_str();
  table->add_option("--scale", options->scale, join(table1_scales(), ", "))->capture_default_str();
  table->add_option("--seeds", options->seeds, "1 to this many")->capture_default_str();
  table->add_option("--config", options->config, "TOML file the scale's settings are laid over");
  table->add_option("--transfer", options->transfer, "world (alfworld, webshop) or TOML file in which the policies are also played; default: the other one");
  table->add_option("--out", options->out, "folder of the seeds, table1.md and table1.html")->required();
  table->add_option("--set", options->assignments, "section.key=value, may be repeated");
  table->add_flag("--force", options->force, "train in the dream even if the free-running check fails");
  table->callback([options] { reproduce_table1(*options); });
}

}  // namespace dreamgym
