#include "dreamgym/base/clock.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(ManualClock, StandsStillUntilAdvanced) {
  ManualClock clock;
  const nanoseconds start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(milliseconds(1500));
  EXPECT_EQ(clock.now() - start, milliseconds(1500));
  EXPECT_DOUBLE_EQ(seconds_since(clock, start), 1.5);
}

TEST(ManualClock, RefusesToGoBack) {
  ManualClock clock;
  EXPECT_THROW(clock.advance(nanoseconds(-1)), LogicError);
}

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;
  nanoseconds before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const nanoseconds now = clock.now();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(SteadyClock, Moves) {
  const SteadyClock clock;
  const nanoseconds start = clock.now();
  while (clock.now() == start) {
  }
  EXPECT_GT(seconds_since(clock, start), 0.0);
}

}  // namespace
}  // namespace dreamgym
