#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {
namespace {

struct Options {
  std::string store;
  std::string logs;
  ReplayQuery query;
  std::size_t k = 4;
  bool json = false;
};

void build(const Options& options) {
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>(), options.store);
  const auto report = buffer.add(read_trajectories(options.logs));
  fmt::print("{}: {} transitions added, {} known already, {} of held-out splits refused\n",
             options.store,
             report.added,
             report.duplicates,
             report.held_out);
}

void search(const Options& options) {
  const ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>(), options.store);
  for (const ReplayHit& hit : buffer.search(std::span(&options.query, 1), {.k = options.k}).front()) {
    const Transition& step = hit.record->transition;
    if (options.json) {
      fmt::print("{}\n",
                 nlohmann::ordered_json{{"id", hit.record->id},
                                        {"similarity", hit.similarity},
                                        {"provenance", provenance_name(hit.record->provenance)},
                                        {"observation", step.observation.text},
                                        {"action", step.action},
                                        {"next_observation", step.next_observation.text}}
                     .dump());
    } else {
      fmt::print("{:.3f} {} {}\n  {}\n  > {}\n  {}\n",
                 hit.similarity,
                 provenance_name(hit.record->provenance),
                 hit.record->id,
                 step.observation.text,
                 step.action,
                 step.next_observation.text);
    }
  }
}

}  // namespace

void add_index_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("index", "The experience store: build, search, verify.");
  group->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* build_verb = group->add_subcommand(
      "build", "Add logs to a store.\nExample: dreamgym index build experience.sqlite logs.jsonl");
  build_verb->add_option("store", options->store, "SQLite file, created if needed")->required();
  build_verb->add_option("logs", options->logs, "canonical JSONL")->required();
  build_verb->callback([options] { build(*options); });

  CLI::App* search_verb = group->add_subcommand(
      "search",
      "The transitions most like a state and an action.\n"
      "Example: dreamgym index search runs/quickstart/experience.sqlite --action 'open drawer 1'");
  search_verb->add_option("store", options->store, "SQLite file")->required()->check(CLI::ExistingFile);
  search_verb->add_option("--state", options->query.state, "observation text");
  search_verb->add_option("--action", options->query.action, "action text")->required();
  search_verb->add_option("--world", options->query.world, "only of this world");
  search_verb->add_option("-k", options->k, "how many")->capture_default_str();
  search_verb->add_flag("--json", options->json, "one JSON object a line");
  search_verb->callback([options] { search(*options); });

  CLI::App* verify_verb = group->add_subcommand(
      "verify", "Check structure and every checksum.\nExample: dreamgym index verify runs/quickstart/experience.sqlite");
  verify_verb->add_option("store", options->store, "SQLite file")->required()->check(CLI::ExistingFile);
  verify_verb->callback([options] {
    const ExperienceStore store(options->store);
    store.verify();
    fmt::print("{}: {} transitions, {} of them dreamed, all checksums fit\n",
               options->store,
               store.size(),
               store.num_dreamed());
  });
}

}  // namespace dreamgym
