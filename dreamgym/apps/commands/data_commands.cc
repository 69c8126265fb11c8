// Verbs about trajectories on disk: import, export, data stats, collect, worlds.

#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/policy_collect.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/export.h"
#include "dreamgym/data/import.h"
#include "dreamgym/data/statistics.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/worlds/catalog.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

struct ImportArguments {
  std::string format;
  std::vector<std::string> files;
  std::string out;
  ImportOptions options;
  bool failure_by_default = false;
};

void import_logs(ImportArguments arguments) {
  arguments.options.success_by_default = !arguments.failure_by_default;
  std::vector<Trajectory> stories;
  const std::vector<std::filesystem::path> files(arguments.files.begin(), arguments.files.end());
  const ImportReport report =
      import_trajectories(log_format_from_name(arguments.format),
                          files,
                          arguments.options,
                          [&](Trajectory story) { stories.push_back(std::move(story)); });
  write_trajectories(arguments.out, stories);
  fmt::print("{}: {} episodes, {} transitions\n", arguments.out, report.episodes, report.transitions);
  if (report.bad_records > 0) {
    fmt::print(stderr,
               "{} of {} records were left out; the first: {}\n",
               report.bad_records,
               report.records,
               report.first_error);
  }
  if (report.unknown_outcomes > 0) {
    fmt::print(stderr,
               "{} episodes do not say how they ended and count as {} (--success-marker, --failure-by-default)\n",
               report.unknown_outcomes,
               arguments.failure_by_default ? "failures" : "successes");
  }
}

struct ExportArguments {
  std::string format;
  std::string file;
  std::string out;
};

struct CollectArguments {
  std::string world;
  std::string policy = "expert";
  std::string data;
  std::string split;
  std::string out;
  std::size_t episodes = 100;
  std::size_t max_steps = 30;
  std::size_t threads = 2;
  std::uint64_t seed = 0;
  double noise = 0.2;
};

void collect_episodes(const CollectArguments& arguments) {
  const auto world = make_world(arguments.world);
  CollectOptions options;
  options.tasks.data_folder = arguments.data;
  options.tasks.split =
      arguments.split.empty() ? world->splits().front().name : arguments.split;
  options.tasks.seed = arguments.seed;
  options.num_episodes = arguments.episodes;
  options.max_steps = arguments.max_steps;
  options.num_threads = arguments.threads;
  options.seed = arguments.seed;
  options.noise = arguments.noise;
  const bool scripted = arguments.policy == "expert" || arguments.policy == "noisy" ||
                        arguments.policy == "random";
  std::vector<Trajectory> stories;
  if (scripted) {
    options.policy = policy_kind_from_name(arguments.policy);
    stories = collect(*world, options);
  } else {
    stories = collect_with_policy(*world, {.policy = arguments.policy}, options);
  }
  write_trajectories(arguments.out, stories);
  const auto successes =
      std::count_if(stories.begin(), stories.end(), [](const auto& s) { return s.success(); });
  fmt::print("{}: {} episodes, {} successes\n", arguments.out, stories.size(), successes);
}

void list_worlds(bool json) {
  for (const std::string& name : world_names()) {
    const auto world = make_world(name);
    if (json) {
      nlohmann::ordered_json line = {{"world", name},
                                     {"description", world->description()},
                                     {"dialects", world->dialects()},
                                     {"splits", nlohmann::json::array()}};
      for (const WorldSplit& split : world->splits()) {
        line["splits"].push_back({{"name", split.name},
                                  {"description", split.description},
                                  {"held_out", split.held_out},
                                  {"needs_data", split.needs_data}});
      }
      fmt::print("{}\n", line.dump());
      continue;
    }
    fmt::print("{}  {}\n", name, world->description());
    for (const WorldSplit& split : world->splits()) {
      fmt::print("  split {:<14} {}{}\n", split.name, split.description, split.held_out ? " (held out)" : "");
    }
    for (const std::string& dialect : world->dialects()) {
      fmt::print("  dialect {}\n", dialect);
    }
  }
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* verb = app.add_subcommand(
      "import",
      "People's logs to canonical JSONL.\n"
      "Example: dreamgym import --format messages chats.jsonl --out logs.jsonl");
  verb->add_option("--format", arguments->format,
                   "canonical, messages, sharegpt, agentgym, alfworld-log, webshop-log or webshop-human")->required();
  verb->add_option("files", arguments->files, "logs")->required();
  verb->add_option("--out", arguments->out, "canonical JSONL")->required();
  verb->add_flag("--skip-bad", arguments->options.skip_bad, "leave broken records out, counted");
  verb->add_option("--world", arguments->options.world, "catalogue name; none where there is no engine");
  verb->add_option("--success-marker", arguments->options.success_marker,
                   "text in the last observation that means success, where a record does not say");
  verb->add_flag("--failure-by-default", arguments->failure_by_default,
                 "records that do not say how they ended are failures");
  verb->callback([arguments] { import_logs(*arguments); });
}

void add_export_command(CLI::App& app) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* verb = app.add_subcommand("export",
                                      "Canonical JSONL to another format.\n"
                                      "Example: dreamgym export --format sharegpt logs.jsonl --out out.json");
  verb->add_option("--format", arguments->format, "canonical, messages, sharegpt or agentgym")->required();
  verb->add_option("file", arguments->file, "canonical JSONL")->required();
  verb->add_option("--out", arguments->out, "file to write")->required();
  verb->callback([arguments] {
    const auto stories = read_trajectories(arguments->file);
    export_trajectories(log_format_from_name(arguments->format), arguments->out, stories);
    fmt::print("{}: {} episodes\n", arguments->out, stories.size());
  });
}

void add_data_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("data", "Look at trajectory files.");
  group->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto skip_bad = std::make_shared<bool>(false);
  CLI::App* verb = group->add_subcommand("stats", "Counts, lengths, outcomes.\n"
                                                  "Example: dreamgym data stats logs.jsonl");
  verb->add_option("file", *file, "canonical JSONL")->required();
  verb->add_flag("--json", *json, "one JSON object");
  verb->add_flag("--skip-bad", *skip_bad, "leave broken lines out, counted");
  verb->callback([file, json, skip_bad] {
    ReadReport report;
    const auto stories = read_trajectories(*file, {.skip_bad = *skip_bad}, &report);
    const auto statistics = trajectory_statistics(stories);
    fmt::print("{}\n", *json ? to_json_line(statistics) : to_table(statistics));
    if (report.bad_lines > 0) {
      fmt::print(stderr, "{} broken lines left out; the first: {}\n", report.bad_lines, report.first_error);
    }
  });
}

void add_collect_command(CLI::App& app) {
  auto arguments = std::make_shared<CollectArguments>();
  CLI::App* verb = app.add_subcommand(
      "collect",
      "Play a policy in a world and keep the episodes.\n"
      "Example: dreamgym collect alfworld --policy noisy --episodes 200 --out logs.jsonl");
  verb->add_option("world", arguments->world, "a world of `dreamgym worlds`")->required();
  verb->add_option("--policy", arguments->policy, "expert, noisy, random or a run folder's model RUN[/MODEL]")
      ->capture_default_str();
  verb->add_option("--episodes", arguments->episodes, "how many")->capture_default_str();
  verb->add_option("--out", arguments->out, "canonical JSONL")->required();
  verb->add_option("--noise", arguments->noise, "mistakes per step of the noisy policy")->capture_default_str();
  verb->add_option("--max-steps", arguments->max_steps, "of an episode")->capture_default_str();
  verb->add_option("--data", arguments->data, "folder of the world's benchmark files");
  verb->add_option("--split", arguments->split, "of the tasks");
  verb->add_option("--seed", arguments->seed, "of everything")->capture_default_str();
  verb->add_option("--threads", arguments->threads, "results do not depend on it")->capture_default_str();
  verb->callback([arguments] { collect_episodes(*arguments); });
}

void add_worlds_command(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("worlds", "Worlds, their splits and dialects.\nExample: dreamgym worlds --json");
  verb->add_flag("--json", *json, "one JSON object a line");
  verb->callback([json] { list_worlds(*json); });
}

}  // namespace dreamgym
