#include "dreamgym/rollout/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace dreamgym {
namespace {

TEST(Watchdog, SaysWhatIsWaitedForAndOnlyWhileItIs) {
  std::promise<std::string> said;
  std::atomic<int> times = 0;
  Watchdog dog(0.02, [&](const std::string& line) {
    if (times++ == 0) {
      said.set_value(line);
    }
  });
  {
    const Watchdog::Wait short_wait(&dog, [] { return std::string("nothing"); });
  }
  const Watchdog::Wait wait(&dog, [] { return std::string("the third episode"); });
  const std::string line = said.get_future().get();
  EXPECT_EQ(line.substr(0, 14), "waiting since ");
  EXPECT_NE(line.find("for the third episode"), std::string::npos) << line;
}

TEST(Watchdog, CostsNothingWhereNobodyWatches) {
  bool asked = false;
  const Watchdog::Wait wait(nullptr, [&] {
    asked = true;
    return std::string();
  });
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace dreamgym
