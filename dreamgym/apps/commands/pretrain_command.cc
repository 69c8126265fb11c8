#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/abilities.h"
#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/pretrain.h"
#include "dreamgym/apps/run_recorder.h"
#include "dreamgym/apps/terminal_progress.h"

namespace dreamgym {
namespace {

struct Options {
  PretrainConfig config;
  std::string run = "runs/pretrain";
  std::string out = "models/nano";
  std::size_t probes = 200;
};

void pretrain_command(const Options& options) {
  TerminalProgress progress;
  const Path folder = options.run;
  make_folder(folder);
  const FolderLock lock(folder);
  RunRecorder recorder(folder, nullptr, 0);
  const ModelFiles model = pretrain(options.config, folder, &recorder, &progress);
  save_model(model, options.out, NumberType::kBFloat16);
  // What is measured is what was written: the bf16 weights.
  const Abilities abilities =
      measure_abilities(load_model(options.out), options.probes, options.config.threads);
  fmt::print("{}\ncopy {:.3f}\nrecall after 500 tokens {:.3f}\nstate tracking {:.3f}\nacting {:.3f}\n",
             options.out,
             abilities.copy,
             abilities.recall,
             abilities.tracking,
             abilities.acting);
}

}  // namespace

void add_pretrain_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "pretrain",
      "Train a base model on invented worlds (reading, copying, recalling, tracking state).\n"
      "Example: dreamgym pretrain --out models/nano --run runs/pretrain");
  verb->add_option("--seed", options->config.seed, "of everything")->capture_default_str();
  verb->add_option("--from", options->config.from, "folder of a model to go on from")->check(CLI::ExistingDirectory);
  verb->add_option("--preset", options->config.preset, "nano-s, nano or nano-l")->capture_default_str();
  verb->add_option("--updates", options->config.updates, "optimiser steps")->capture_default_str();
  verb->add_option("--tokens-per-update", options->config.sft.tokens_per_update, "computed tokens")
      ->capture_default_str();
  verb->add_option("--threads", options->config.threads, "results do not depend on it")
      ->capture_default_str();
  verb->add_option("--run", options->run, "folder of checkpoints and metrics; continues what is there")
      ->capture_default_str();
  verb->add_option("--out", options->out, "folder of the model (bf16)")->capture_default_str();
  verb->add_option("--probes", options->probes, "held-out questions per ability")->capture_default_str();
  verb->callback([options] { pretrain_command(*options); });
}

}  // namespace dreamgym
