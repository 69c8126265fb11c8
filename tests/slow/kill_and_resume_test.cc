// A run killed with SIGKILL at any moment and resumed ends bit for bit like an uninterrupted one.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "dreamgym/base/rng.h"
#include "tests/slow/small_run.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr int kKills = 50;

TEST(KillAndResume, EndsLikeAnUninterruptedRun) {
  const TemporaryFolder folder;
  const Path straight = folder.path() / "straight";
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  waitpid(start(small_run(straight)), &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;

  Rng rng(2026);
  int kills = 0;
  int rounds = 0;
  while (kills < kKills) {
    const Path run = folder.path() / ("killed-" + std::to_string(rounds++));
    while (true) {
      const pid_t child = start(small_run(run));
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
