#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/components.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_judge.h"
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
  std::size_t first_seed = 1;
  std::string config;
  std::string out;
  std::string transfer;
  std::vector<std::string> assignments;
  std::vector<std::string> arms;  // of components; empty = all
  std::size_t judged = 40;        // episodes of a cell
  bool force = false;
};

void require_usable(const Options& options) {
  if (options.seeds == 0) {
    throw Error(ErrorKind::kInvalidArgument, "--seeds 0: there is nothing to run", "give it 1 or more");
  }
  if (options.first_seed == 0 || options.first_seed > options.seeds) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("--first-seed {}: there is nothing to run", options.first_seed),
                fmt::format("expected 1 to {} (--seeds)", options.seeds));
  }
  if (options.config.empty() && options.world != "alfworld") {
    throw Error(ErrorKind::kConfig,
                fmt::format("--world {} has no settings of its own", options.world),
                "name a configuration of that world with --config FILE");
  }
}

ExperimentConfig config_of(const Options& options, std::vector<std::string> assignments, std::size_t seed) {
  assignments.insert(assignments.end(), options.assignments.begin(), options.assignments.end());
  assignments.push_back(fmt::format("world={}", options.world));
  assignments.push_back(fmt::format("seed={}", seed));
  ExperimentConfig config = load_experiment(options.config, assignments);
  config.check.force = config.check.force || options.force;
  return config;
}

std::string command_of(const Options& options, const char* table) {
  std::string command = fmt::format("dreamgym reproduce {} --world {} --scale {} --seeds {}",
                                    table,
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

void add_options(CLI::App& table, const std::shared_ptr<Options>& options) {
  table.add_option("--world", options->world, "alfworld, or another with --config")->capture_default_str();
  table.add_option("--scale", options->scale, join(table1_scales(), ", "))->capture_default_str();
  table.add_option("--seeds", options->seeds, "1 to this many")->capture_default_str();
  table.add_option("--first-seed", options->first_seed, "where to begin, so that several processes can share the seeds; at the end repeat the command without it")
      ->capture_default_str();
  table.add_option("--config", options->config, "TOML file the scale's settings are laid over");
  table.add_option("--out", options->out, "folder of the runs and their tables")->required();
  table.add_option("--set", options->assignments, "section.key=value, may be repeated");
  table.add_flag("--force", options->force, "train in the dream even if the free-running check fails");
}

void reproduce_table1(const Options& options) {
  require_usable(options);
  const Path out = options.out;
  Table1Request request{options.world, options.scale, command_of(options, "table1"), {}, ""};
  Grid grid = table1_grid(request);  // refuses an unknown world before hours are spent
  TerminalProgress progress;
  for (std::size_t seed = options.first_seed; seed <= options.seeds; ++seed) {
    const Path folder = out / fmt::format("seed-{}", seed);
    const ExperimentConfig config = config_of(options, table1_settings(options.scale), seed);
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

ComponentsRequest components_request(const Options& options) {
  std::string command = command_of(options, "components");
  command += options.arms.empty() ? "" : " --arms " + join(options.arms, ",");
  return {options.world, options.scale, std::move(command), options.out, options.seeds};
}

// Tables of what is there, on disk and as text.
std::string write_components(const ComponentsRequest& request) {
  const Grid grid = components_grid(request);
  const std::string text = grid_markdown(grid) + components_dreams(request);
  write_file(request.out / "components.md", text);
  write_file(request.out / "components.html", grid_html(grid));
  return text;
}

void reproduce_components(const Options& options) {
  require_usable(options);
  const ComponentsRequest request = components_request(options);
  std::vector<ComponentArm> arms;
  for (const ComponentArm& arm : component_arms()) {
    if (options.arms.empty() || std::ranges::find(options.arms, arm.name) != options.arms.end()) {
      arms.push_back(arm);
    }
  }
  for (const std::string& name : options.arms) {
    if (std::ranges::find(component_arms(), name, &ComponentArm::name) == component_arms().end()) {
      std::vector<std::string> known;
      std::ranges::transform(component_arms(), std::back_inserter(known), &ComponentArm::name);
      throw Error(ErrorKind::kConfig,
                  fmt::format("--arms: got '{}', expected some of {}", name, join(known, ", ")),
                  fmt::format("the nearest is '{}'", nearest(name, known)));
    }
  }
  TerminalProgress progress;
  std::size_t done = 0;
  for (std::size_t seed = options.first_seed; seed <= options.seeds; ++seed) {
    for (const ComponentArm& arm : arms) {
      const Path cell = component_cell(options.out, arm.name, seed);
      std::vector<std::string> settings = component_settings(options.scale);
      settings.insert(settings.end(), arm.settings.begin(), arm.settings.end());
      const ExperimentConfig config = config_of(options, std::move(settings), seed);
      check_same_config(cell, config, options.force);
      progress.note(fmt::format("cell {} of {}: {}, seed {}: {}",
                                ++done,
                                arms.size() * (options.seeds - options.first_seed + 1),
                                arm.name,
                                seed,
                                cell.string()));
      Experiment(config, cell, progress).run();
      if (!std::filesystem::exists(cell / "judge" / "judgements.jsonl")) {
        JudgeRequest judge;
        judge.run = cell;
        judge.episodes = options.judged;
        judge.threads = config.threads;
        write_file(cell / "judge" / "judgements.jsonl", judgement_lines(judge_run(judge, progress)));
      }
      report_run(cell);
      write_components(request);  // after each cell, so that there is something to look at
    }
  }
  fmt::print("{}\npage: {}\n", write_components(request), (request.out / "components.html").string());
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
  add_options(*table, options);
  table->add_option("--transfer", options->transfer, "world (alfworld, webshop) or TOML file in which the policies are also played; default: the other one");
  table->callback([options] { reproduce_table1(*options); });
  CLI::App* components = verb->add_subcommand(
      "components",
      "Table 2 and Fig. 4 and 5: DreamGym without replay, reasoning, history or task generation, and with less data; the\n"
      "paper's figures beside ours.\n"
      "A run folder a cell (arm and seed); repeat the command to continue.\n"
      "Example: dreamgym reproduce components --world alfworld --scale small --seeds 3 --out runs/components");
  add_options(*components, options);
  components->add_option("--arms", options->arms, "some of them: full, no_replay, no_reasoning, no_history, no_task_generation, data_5, data_25, data_50")
      ->delimiter(',');
  components->add_option("--judged", options->judged, "dreamed episodes of a cell that are judged")->capture_default_str();
  components->callback([options] { reproduce_components(*options); });
}

}  // namespace dreamgym
