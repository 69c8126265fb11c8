#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/estimate_json.h"
#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/policy_collect.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_fidelity.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/eval/performance_bound.h"
#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

struct Options {
  std::string run;
  std::string model;
  std::string world;  // "" = the run's own, alfworld for a bare model
  std::string data;
  std::string split;
  std::string logs;
  std::size_t episodes = 200;
  std::size_t max_steps = 30;
  std::size_t threads = 2;
  std::size_t draws = 0;
  std::size_t long_steps = 0;
  std::optional<std::uint64_t> seed;
  double temperature = 0.4;
  std::string chat_template;
  std::optional<std::string> rules;
  bool names_actions = false;
  std::size_t max_thought_tokens = 0;
  std::string weights = "fp32";
  std::string cache = "fp32";
  std::string out;
  bool json = false;
};

// Whether it is a run, and no bare model folder.
bool has_config(const Options& options) {
  return !options.run.empty() && std::filesystem::exists(Path(options.run) / "config.toml");
}

// Tasks of the world that the run learned in, if it is the same world: its houses, not others.
WorldOptions world_of_run(const Options& options) {
  if (has_config(options)) {
    const ExperimentConfig config = read_run_config(options.run);
    if (config.world == options.world) {
      return world_options(config, options.split, options.episodes);
    }
  }
  return {.split = options.split, .count = options.episodes, .seed = 1};
}

std::string world_name(const Options& options) {
  if (!options.world.empty()) {
    return options.world;
  }
  return has_config(options)
             ? read_run_config(options.run).world
             : "alfworld";
}

// RUN/models/MODEL, or a model by itself.
PolicyPlay play_of(const Options& options) {
  PolicyPlay play{.policy = options.run.empty()     ? options.model
                            : options.model.empty() ? options.run
                                                    : options.run + "/models/" + options.model,
                  .temperature = options.temperature,
                  .weights = options.weights,
                  .cache = options.cache};
  if (!options.chat_template.empty() || options.rules || options.names_actions || options.max_thought_tokens > 0) {
    const auto rules = options.max_thought_tokens > 0 ? kThinkingAgentRules : kAgentRules;
    play.chat = AgentChat{.chat_template = options.chat_template,
                          .rules = options.rules.value_or(std::string(rules)),
                          .names_actions = options.names_actions,
                          .max_thought_tokens = options.max_thought_tokens};
  }
  return play;
}

void keep_episodes(const PanelResult& result, const std::string& file) {
  std::vector<Trajectory> stories;
  for (const Episode& episode : result.episodes) {
    stories.push_back(episode.trajectory);
  }
  write_trajectories(file, stories);
}

void evaluate_policy_verb(const Options& given) {
  if (given.run.empty() && given.model.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "no policy to measure",
                "name a run with --run, a model of it with --model as well, or any model folder or "
                ".gguf file with --model alone");
  }
  Options options = given;
  options.world = world_name(given);
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
  const PolicyPlay play = play_of(options);
  const std::string& policy = play.policy;
  const PanelResult result = evaluate_policy(*world, play, tasks, wanted.seed, panel);
  if (!options.out.empty()) {
    keep_episodes(result, options.out);
  }
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
                                 {"success", estimate_json(result.success)},
                                 {"by_type", nlohmann::json::object()},
                                 {"environment_steps", result.environment_steps},
                                 {"seconds", result.seconds}};
  for (const auto& [type, estimate] : result.by_type) {
    line["by_type"][type] = estimate_json(estimate);
  }
  fmt::print("{}\n", line.dump());
}

MeasureRequest measure_request(const Options& options) {
  const std::size_t episodes = options.episodes == 0 ? std::numeric_limits<std::size_t>::max() : options.episodes;
  return {options.logs, episodes, options.threads, options.draws, options.long_steps};
}

void evaluate_experience_verb(const Options& options) {
  const auto measures = measure_run(options.run, measure_request(options));
  if (options.json) {
    fmt::print("{}\n", nlohmann::json(measures).dump());
    return;
  }
  for (const auto& [name, value] : measures) {
    fmt::print("{:<34} {:.4g}\n", name, value);
  }
}

void evaluate_bound_verb(const Options& options, BoundInputs inputs) {
  const auto measures = measure_run(options.run, measure_request(options));
  const double steps = measures.at("held_out_steps");
  const BoundInputs errors = bound_errors(measures);
  inputs.reward_error = errors.reward_error;
  inputs.transition_error = errors.transition_error;
  const PerformanceBound bound = performance_bound(inputs);
  const nlohmann::ordered_json line = {{"discount", inputs.discount},
                                       {"reward_error", inputs.reward_error},
                                       {"transition_error", inputs.transition_error},
                                       {"surrogate_advantage", inputs.surrogate_advantage},
                                       {"policy_divergence", inputs.policy_divergence},
                                       {"model_gap", bound.model_gap},
                                       {"surrogate_gain", bound.surrogate_gain},
                                       {"trust_region_penalty", bound.trust_region_penalty},
                                       {"model_penalty", bound.model_penalty},
                                       {"improvement", bound.improvement}};
  if (options.json) {
    fmt::print("{}\n", line.dump());
    return;
  }
  for (const auto& [name, value] : line.items()) {
    fmt::print("{:<24} {:.6g}\n", name, value.get<double>());
  }
  fmt::print("The errors are means over {:.0f} held-out steps in the place of the theory's suprema (and a first look at hidden\n"
             "contents counts as wrong unless it is the same): an orientation, no guarantee.\n",
             steps);
}

void add_common(CLI::App* verb, Options& options, bool needs_run = true) {
  verb->add_option("--run", options.run, "run folder")->required(needs_run);
  verb->add_option("--episodes", options.episodes, "how many; 0 = all there are")->capture_default_str();
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
      "Examples: dreamgym eval policy --run runs/quickstart --world alfworld --split valid_unseen --episodes 200\n"
      "          dreamgym eval policy --model SmolLM2.gguf --world alfworld --episodes 4 --out episodes.jsonl");
  add_common(policy, *options, false);
  policy->add_option("--model",
                     options->model,
                     "of the run: s2r, dream, traditional, start (default: the best there is); without --run any "
                     "model folder or .gguf file");
  policy->add_option("--world", options->world, "a world of `dreamgym worlds`; default: the run's own");
  policy->add_option("--split", options->split, "default: the first held-out one");
  policy->add_option("--data", options->data, "folder of the world's benchmark files");
  policy->add_option("--max-steps", options->max_steps, "of an episode")->capture_default_str();
  policy->add_option("--temperature", options->temperature, "of the actions; 0 = greedy")->capture_default_str();
  policy->add_option("--seed", options->seed, "of tasks and sampling; default: the run's, so its houses");
  policy->add_option("--chat-template", options->chat_template, "of a pretrained model, instead of its own");
  policy->add_option("--rules", options->rules, "system message of a pretrained model");
  policy->add_flag("--name-actions", options->names_actions, "a pretrained model reads the admissible actions with each observation");
  policy->add_option("--max-thought-tokens",
                     options->max_thought_tokens,
                     "a pretrained model thinks so long before each action; 0 = not at all")
      ->capture_default_str();
  policy->add_option("--weights", options->weights, "fp32, bf16 or int8")->capture_default_str();
  policy->add_option("--cache", options->cache, "keys and values: fp32, bf16 or int16")->capture_default_str();
  policy->add_option("--out", options->out, "keep the episodes, as canonical JSONL");
  policy->callback([options] { evaluate_policy_verb(*options); });

  CLI::App* experience = group->add_subcommand(
      "experience",
      "One-step accuracy on held-out real transitions, environment luck, dream-to-real replay.\n"
      "Example: dreamgym eval experience --run runs/quickstart --episodes 100");
  add_common(experience, *options);
  experience->add_option("--logs", options->logs, "canonical JSONL; default: the run's held-out episodes");
  experience->add_option("--draws", options->draws, "first looks dreamed: what is invented against what is there, by a chi-square test");
  experience->add_option("--long-steps", options->long_steps, "of random episodes in the dream, to count contradictions, e.g. 50");
  experience->callback([options] { evaluate_experience_verb(*options); });

  auto inputs = std::make_shared<BoundInputs>();
  CLI::App* bound = group->add_subcommand(
      "bound",
      "Theorem 1 and Lemma 1 of the paper with the run's measured errors in the place of their suprema.\n"
      "Example: dreamgym eval bound --run runs/quickstart --discount 0.9");
  add_common(bound, *options);
  bound->add_option("--logs", options->logs, "canonical JSONL; default: the run's held-out episodes");
  bound->add_option("--discount", inputs->discount, "gamma")->capture_default_str();
  bound->add_option("--advantage", inputs->surrogate_advantage, "mean advantage of the new policy in the dream");
  bound->add_option("--divergence", inputs->policy_divergence, "KL of the new policy from the old one, nats");
  bound->callback([options, inputs] { evaluate_bound_verb(*options, *inputs); });
  add_judge_verb(*group);
  add_agreement_verb(*group);
}

}  // namespace dreamgym
