#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

// Benchmark programs built by `make bench`, beside this one.
const std::map<std::string, std::string> kPrograms = {{"alfworld", "alfworld_bench"},
                                                      {"webshop", "webshop_bench"},
                                                      {"dream", "dream_bench"},
                                                      {"generation", "generation_bench"},
                                                      {"lm", "lm_bench"},
                                                      {"lm-training", "lm_training_bench"},
                                                      {"adapter", "adapter_bench"},
                                                      {"training", "nn_train_bench"},
                                                      {"grpo", "grpo_bench"},
                                                      {"overlap", "overlap_bench"},
                                                      {"retrieval", "replay_bench"},
                                                      {"retrieval-million", "million_bench"}};

void run_benchmark(const std::string& name, const std::string& peer, const std::vector<std::string>& more) {
  std::vector<std::string> names;
  for (const auto& [known, program] : kPrograms) {
    names.push_back(known);
  }
  const auto found = kPrograms.find(name);
  if (found == kPrograms.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("no benchmark '{}'", name),
                fmt::format("the nearest is '{}'; known: {}", nearest(name, names), join(names, ", ")));
  }
  const Path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / found->second;
  if (!std::filesystem::exists(program)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} is not built", program.string()),
                "run `make bench` first");
  }
  std::vector<std::string> arguments = {program.string()};
  if (!peer.empty()) {
    arguments.push_back("--peer=" + peer);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  std::fflush(stdout);
  execv(program.c_str(), pointers.data());
  throw Error(ErrorKind::kIo, fmt::format("{} can't be started", program.string()));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  auto peer = std::make_shared<std::string>();
  auto more = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand(
      "bench",
      "Measure a part against its limits and peers; every result is checked first (`make bench` builds them).\n"
      "Example: dreamgym bench generation --peer venv/bin/python\n"
      "Example: dreamgym bench dream -- --run=runs/quickstart");
  verb->add_option("name", *name, "alfworld, webshop, dream, generation, lm, lm-training, adapter, training, grpo, overlap, retrieval or retrieval-million")->required();
  verb->add_option("arguments", *more, "handed on to the program, behind --");
  verb->add_option("--peer", *peer, "python that has the peer installed (torch, transformers; grpo: trl too)");
  verb->callback([name, peer, more] { run_benchmark(*name, *peer, *more); });
}

}  // namespace dreamgym
