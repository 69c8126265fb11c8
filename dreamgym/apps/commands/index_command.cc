#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/replay_memory.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/replay/replay_buffer.h"
#include "dreamgym/replay/salvage.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string store;
  std::string logs;
  std::string out;
  std::string index = "exact";
  ReplayConfig replay;
  ReplayQuery query;
  SearchOptions search;
  bool json = false;
};

// By what the store is searched.
ReplayConfig replay_config(const Options& options) {
  ReplayConfig config = options.replay;
  config.index = index_kind_named(options.index);
  config.embedder = !config.encoder.empty()       ? EmbedderKind::kEncoder
                    : !config.server.urls.empty() ? EmbedderKind::kEndpoint
                                                  : EmbedderKind::kHashedNgrams;
  return config;
}

std::unique_ptr<ReplayBuffer> open(const Options& options) {
  return open_buffer(replay_config(options), options.store);
}

void add_embedder_options(CLI::App& verb, Options& options) {
  verb.add_option("--index", options.index, "exact; hnsw or ivf are kept beside the store")->capture_default_str();
  verb.add_option("--encoder", options.replay.encoder, "folder of a sentence encoder; default: hashed n-grams");
  verb.add_option("--embeddings", options.replay.server.urls, "URL of a server with /embeddings, instead");
  verb.add_option("--embeddings-model", options.replay.server.model, "name the server knows the model by");
  verb.add_option("--key-variable", options.replay.server.api_key_variable, "environment variable with the key; \"\" = none")
      ->capture_default_str();
}

void note(const ReplayBuffer& buffer) {
  if (!buffer.index_note().empty()) {
    fmt::print(stderr, "{}\n", buffer.index_note());
  }
}

void build(const Options& options) {
  const auto buffer = open(options);
  note(*buffer);
  const auto report = buffer->add(read_trajectories(options.logs));
  buffer->save_index();
  fmt::print("{}: {} transitions added, {} known already, {} of held-out splits refused\n",
             options.store,
             report.added,
             report.duplicates,
             report.held_out);
}

void search(const Options& options) {
  const auto buffer = open(options);
  note(*buffer);
  const auto found = buffer->search(std::span(&options.query, 1), options.search);
  for (const ReplayHit& hit : found.front()) {
    const Transition& step = hit.record->transition;
    if (options.json) {
      fmt::print("{}\n",
                 Json{{"id", hit.record->id},
                      {"similarity", hit.similarity},
                      {"provenance", provenance_name(hit.record->provenance)},
                      {"observation", step.observation.text},
                      {"action", step.action},
                      {"next_observation", step.next_observation.text}}
                     .dump(-1, ' ', false, Json::error_handler_t::replace));
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

void statistics(const Options& options) {
  const ExperienceStore store(options.store);
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  std::size_t total = 0;
  store.for_each([&](ExperienceStore::Sequence, const StoredTransition& record) {
    ++total;
    ++counts["provenance"][std::string(provenance_name(record.provenance))];
    ++counts["world"][record.world];
    ++counts["split"][record.split];
    ++counts["policy"][record.policy_version];
    ++counts["reward"][record.transition.reward >= 1 ? "success" : record.transition.reward > 0 ? "partial" : "none"];
  });
  if (options.json) {
    Json line = {{"store", options.store}, {"transitions", total}, {"bytes", std::filesystem::file_size(options.store)}};
    for (const auto& [group, of_group] : counts) {
      line["by_" + group] = of_group;
    }
    fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} transitions, {} bytes\n", options.store, total, std::filesystem::file_size(options.store));
  for (const auto& [group, of_group] : counts) {
    fmt::print("{}\n", group);
    for (const auto& [name, count] : of_group) {
      fmt::print("  {:<46} {:>10}\n", name.empty() ? "-" : name, count);
    }
  }
}

// Transitions as lines of JSON, for other programs: without the vectors, which the texts give again.
void export_transitions(const Options& options) {
  const ExperienceStore store(options.store);
  std::size_t total = 0;
  write_file(options.out, [&](const std::function<void(std::string_view)>& sink) {
    store.for_each([&](ExperienceStore::Sequence sequence, const StoredTransition& record) {
      const Transition& step = record.transition;
      ++total;
      sink(Json{{"sequence", sequence},
                {"id", record.id},
                {"provenance", provenance_name(record.provenance)},
                {"world", record.world},
                {"split", record.split},
                {"instruction", record.instruction},
                {"episode_id", record.episode_id},
                {"step", record.step_index},
                {"policy_version", record.policy_version},
                {"simulator_version", record.simulator_version},
                {"observation", step.observation.text},
                {"action", step.action},
                {"reasoning_trace", step.reasoning_trace},
                {"next_observation", step.next_observation.text},
                {"reward", step.reward},
                {"terminated", step.terminated},
                {"truncated", step.truncated}}
               .dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n");
    });
  });
  fmt::print("{}: {} transitions\n", options.out, total);
}

void recover(const Options& options) {
  const Salvage found = salvage_store(options.store, options.out);
  fmt::print("{}: {} transitions saved from {}; {} rows whose checksum does not fit, {} places that can't be read\n",
             options.out,
             found.kept,
             options.store,
             found.bad_rows,
             found.unreadable);
  if (!found.first_problem.empty()) {
    fmt::print("the first: {}\n", found.first_problem);
  }
  if (found.kept == 0) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("nothing could be saved from {}", options.store),
                "of a run: move the file away, and `dreamgym train --resume --run RUN` puts the transitions of the logs back");
  }
}

}  // namespace

void add_index_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("index", "The experience store: build, search, stats, export, recover, verify.");
  group->require_subcommand(1);
  auto options = std::make_shared<Options>();
  const auto of_store = [&](const char* name, const char* help) {
    CLI::App* verb = group->add_subcommand(name, help);
    verb->add_option("store", options->store, "SQLite file")->required()->check(CLI::ExistingFile);
    return verb;
  };
  CLI::App* build_verb = group->add_subcommand(
      "build", "Add logs to a store.\nExample: dreamgym index build experience.sqlite logs.jsonl");
  build_verb->add_option("store", options->store, "SQLite file, created if needed")->required();
  build_verb->add_option("logs", options->logs, "canonical JSONL")->required();
  add_embedder_options(*build_verb, *options);
  build_verb->callback([options] { build(*options); });

  CLI::App* search_verb = of_store(
      "search",
      "The transitions most like a state and an action.\n"
      "Example: dreamgym index search runs/quickstart/experience.sqlite --action 'open drawer 1'");
  search_verb->add_option("--state", options->query.state, "observation text");
  search_verb->add_option("--action", options->query.action, "action text")->required();
  search_verb->add_option("--world", options->query.world, "only of this world");
  add_embedder_options(*search_verb, *options);
  search_verb->add_option("-k", options->search.k, "how many")->capture_default_str();
  search_verb->add_option("--min-similarity", options->search.min_similarity, "less similar ones are not shown");
  search_verb->add_option("--diversity", options->search.diversity, "weight of not being like the others, in [0, 1)");
  search_verb->add_flag("--json", options->json, "one JSON object a line");
  search_verb->callback([options] { search(*options); });

  CLI::App* stats_verb = of_store(
      "stats", "Counts by provenance, world, split, policy and reward.\nExample: dreamgym index stats runs/quickstart/experience.sqlite");
  stats_verb->add_flag("--json", options->json, "one JSON object");
  stats_verb->callback([options] { statistics(*options); });

  CLI::App* export_verb = of_store(
      "export", "Every live transition as a line of JSON.\nExample: dreamgym index export runs/quickstart/experience.sqlite --out transitions.jsonl");
  export_verb->add_option("--out", options->out, "file to write")->required();
  export_verb->callback([options] { export_transitions(*options); });

  CLI::App* recover_verb = of_store(
      "recover",
      "What can still be read of a damaged store, into a new one; says what is lost.\n"
      "Example: dreamgym index recover runs/quickstart/experience.sqlite --out saved.sqlite");
  recover_verb->add_option("--out", options->out, "SQLite file to write; must not be there")->required();
  recover_verb->callback([options] { recover(*options); });

  CLI::App* verify_verb = of_store(
      "verify", "Check structure and every checksum, and the indexes beside it.\nExample: dreamgym index verify runs/quickstart/experience.sqlite");
  add_embedder_options(*verify_verb, *options);
  verify_verb->callback([options] {
    const ExperienceStore store(options->store);
    store.verify();
    fmt::print("{}: {} transitions, {} of them dreamed, all checksums fit\n",
               options->store,
               store.size(),
               store.num_dreamed());
    for (const IndexKind kind : {IndexKind::kHnsw, IndexKind::kIvf}) {
      const Path file = options->store + "." + std::string(index_kind_name(kind));
      if (std::filesystem::exists(file)) {
        const auto embedder = make_embedder(replay_config(*options), "");
        const auto index = ApproximateIndex::load(file, embedder->name(), kind, embedder->dimension(), {});
        fmt::print("{}: {} vectors, its checksum fits\n", file.string(), index->size());
      }
    }
  });
}

}  // namespace dreamgym
