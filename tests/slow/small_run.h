// A small run of the main job as a child process, for tests of what may befall it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

/// A quickstart of a few seconds on one thread: program and arguments.
inline std::vector<std::string> small_run(const Path& run) {
  std::string line =
      "quickstart --out " + run.string() +
      " --set threads=1 --set base.model= --set base.preset=nano-s --set data.collect_episodes=60"
      " --set data.train_tasks=30 --set data.eval_tasks=12 --set data.demonstrations=10"
      " --set experience_sft.epochs=0.5 --set experience_sft.checkpoint_every=2 --set start_sft.epochs=1"
      " --set start_sft.checkpoint_every=2 --set all_sft.epochs=0.3 --set dream.iterations=4"
      " --set dream.tasks_per_iteration=2 --set dream.group_size=2 --set dream.validate_every=2"
      " --set check.tasks=4 --set check.force=true --set evaluation.fidelity_episodes=2"
      " --set max_steps=8 --set traditional.step_budget=200 --set s2r.step_budget=100";
  std::vector<std::string> arguments = words(line);
  arguments.insert(arguments.begin(), DREAMGYM_BINARY);
  return arguments;
}

/// Starts it; what it says on stderr goes to the file.
inline pid_t start(std::vector<std::string> arguments, const char* errors = "/dev/null") {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(
      &quiet, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, pointers[0], &quiet, nullptr, pointers.data(), environ), 0);
  posix_spawn_file_actions_destroy(&quiet);
  return child;
}

/// The metrics but for the lines about time, which no two runs share.
inline std::string timeless_metrics(const Path& run) {
  std::string out;
  for (const std::string& line : split(read_file(run / "metrics.jsonl"), '\n')) {
    out += contains(line, "\"time/") ? "" : line + "\n";
  }
  return out;
}

/// What must be equal: every model, every logged episode and every metric.
inline std::string fingerprint(const Path& run) {
  std::string out;
  for (const char* model : {"experience", "start", "sft_all", "traditional", "traditional_equal", "dream", "s2r"}) {
    out += std::string(model) + " " +
           to_hex(hash_text(read_file(run / "models" / model / "model.safetensors"))) + "\n";
  }
  out += "episodes " + to_hex(hash_text(read_file(run / "episodes.jsonl"))) + "\n";
  out += "metrics " + to_hex(hash_text(timeless_metrics(run))) + "\n";
  return out;
}

}  // namespace dreamgym
