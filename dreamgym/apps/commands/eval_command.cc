#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/policy_collect.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_fidelity.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

struct Options {
  std::string run;
  std::string model;
  std::string world = "alfworld";
  std::string data;
  std::string split;
  std::string logs;
  std::size_t episodes = 200;
  std::size_t max_steps = 30;
  std::size_t threads = 2;
  std::optional<std::uint64_t> seed;
  double temperature = 0.4;
  bool json = false;
};

nlohmann::ordered_json to_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

// Tasks of the world that the run learned in, if it is the same world: its houses, not others.
WorldOptions world_of_run(const Options& options) {
  if (std::filesystem::exists(Path(options.run) / "config.toml")) {  // not for a bare model folder
    const ExperimentConfig config = read_run_config(options.run);
    if (config.world == options.world) {
      return world_options(config, options.split, options.episodes);
    }
  }
  return {.split = options.split, .count = options.episodes, .seed = 1};
}

void evaluate_policy_verb(const Options& options) {
  const auto world = make_world(options.world);
  WorldOptions wanted = world_of_run(options);
  wanted.data_folder = options.data;
  wanted.seed = options.seed.value_or(wanted.seed);
  if (wanted.split.empty()) {
    for (const WorldSplit& split : world->splits()) {
      if (split.held_out && (wanted.split.empty() || wanted.split == world->splits().front().name)) {
        wanted.split = split.name;
        break;
      }
    }
  }
  const auto tasks = world->tasks(wanted);
  PanelOptions panel;
  panel.max_steps = options.max_steps;
  panel.num_threads = options.threads;
  const std::string policy =
      options.model.empty() ? options.run : options.run + "/models/" + options.model;
  const PanelResult result =
      evaluate_policy(*world, policy, tasks, options.temperature, wanted.seed, panel);
  if (!options.json) {
    fmt::print("{} on {} tasks of {} {}: {:.1f}% [{:.1f}, {:.1f}], {} steps in {:.1f} s\n",
               policy,
               result.episodes.size(),
               options.world,
               wanted.split,
               100 * result.success.value,
               100 * result.success.low,
               100 * result.success.high,
               result.environment_steps,
               result.seconds);
    for (const auto& [type, estimate] : result.by_type) {
      fmt::print("  {:<36} {:.1f}% [{:.1f}, {:.1f}]\n",
                 type,
                 100 * estimate.value,
                 100 * estimate.low,
                 100 * estimate.high);
    }
    return;
  }
  nlohmann::ordered_json line = {{"policy", policy},
                                 {"world", options.world},
                                 {"split", wanted.split},
                                 {"episodes", result.episodes.size()},
                                 {"success", to_json(result.success)},
                                 {"by_type", nlohmann::json::object()},
                                 {"environment_steps", result.environment_steps},
                                 {"seconds", result.seconds}};
  for (const auto& [type, estimate] : result.by_type) {
    line["by_type"][type] = to_json(estimate);
  }
  fmt::print("{}\n", line.dump());
}

void evaluate_experience_verb(const Options& options) {
  const auto measures = measure_run(options.run, options.logs, options.episodes, options.threads);
  if (options.json) {
    fmt::print("{}\n", nlohmann::json(measures).dump());
    return;
  }
  for (const auto& [name, value] : measures) {
    fmt::print("{:<34} {:.4g}\n", name, value);
  }
}

void add_common(CLI::App* verb, Options& options) {
  verb->add_option("--run", options.run, "run folder")->required();
  verb->add_option("--episodes", options.episodes, "how many")->capture_default_str();
  verb->add_option("--threads", options.threads, "results do not depend on it")->capture_default_str();
  verb->add_flag("--json", options.json, "one JSON object");
}

}  // namespace

void add_eval_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("eval", "Measure a policy in reality, or an experience model.");
  group->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* policy = group->add_subcommand(
      "policy",
      "Real success with 95% intervals on held-out tasks.\n"
      "Example: dreamgym eval policy --run runs/quickstart --world alfworld --split valid_unseen --episodes 200");
  add_common(policy, *options);
  policy->add_option("--model", options->model, "of the run: s2r, dream, traditional, start (default: the best there is)");
  policy->add_option("--world", options->world, "a world of `dreamgym worlds`")->capture_default_str();
  policy->add_option("--split", options->split, "default: the first held-out one");
  policy->add_option("--data", options->data, "folder of the world's benchmark files");
  policy->add_option("--max-steps", options->max_steps, "of an episode")->capture_default_str();
  policy->add_option("--temperature", options->temperature, "of the actions; 0 = greedy")->capture_default_str();
  policy->add_option("--seed", options->seed, "of tasks and sampling; default: the run's, so its houses");
  policy->callback([options] { evaluate_policy_verb(*options); });

  CLI::App* experience = group->add_subcommand(
      "experience",
      "One-step accuracy on held-out real transitions, environment luck, dream-to-real replay.\n"
      "Example: dreamgym eval experience --run runs/quickstart --episodes 100");
  add_common(experience, *options);
  experience->add_option("--logs", options->logs, "canonical JSONL; default: the run's held-out episodes");
  experience->callback([options] { evaluate_experience_verb(*options); });
}

}  // namespace dreamgym
