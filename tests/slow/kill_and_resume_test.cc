// A run killed with SIGKILL at any moment and resumed ends bit for bit like an uninterrupted one.

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr int kKills = 50;

std::vector<std::string> command(const Path& run) {
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

pid_t start(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, pointers[0], &quiet, nullptr, pointers.data(), environ), 0);
  posix_spawn_file_actions_destroy(&quiet);
  return child;
}

// What must be equal: every model and every logged episode.
std::string fingerprint(const Path& run) {
  std::string out;
  for (const char* model : {"experience", "start", "sft_all", "traditional", "traditional_equal", "dream", "s2r"}) {
    out += std::string(model) + " " +
           to_hex(hash_text(read_file(run / "models" / model / "model.safetensors"))) + "\n";
  }
  out += "episodes " + to_hex(hash_text(read_file(run / "episodes.jsonl"))) + "\n";
  out += "metrics " + to_hex(hash_text(read_file(run / "metrics.jsonl"))) + "\n";
  return out;
}

TEST(KillAndResume, EndsLikeAnUninterruptedRun) {
  const TemporaryFolder folder;
  const Path straight = folder.path() / "straight";
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  waitpid(start(command(straight)), &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;

  Rng rng(2026);
  int kills = 0;
  int rounds = 0;
  while (kills < kKills) {
    const Path run = folder.path() / ("killed-" + std::to_string(rounds++));
    while (true) {
      const pid_t child = start(command(run));
      // Early ones too: a start costs about as much as the first stages.
      const std::chrono::duration<double> patience(0.02 + rng.uniform() * whole.count() * 0.6);
      const auto deadline = std::chrono::steady_clock::now() + patience;
      bool ended = false;
      while (!ended && std::chrono::steady_clock::now() < deadline) {
        ended = waitpid(child, &status, WNOHANG) == child;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      if (ended) {
        ASSERT_EQ(WEXITSTATUS(status), 0) << "round " << rounds << " after " << kills << " kills";
        break;
      }
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      ++kills;
    }
    EXPECT_EQ(fingerprint(run), fingerprint(straight)) << "round " << rounds << " after " << kills << " kills";
    std::filesystem::remove_all(run);
  }
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace dreamgym
