#include "dreamgym/llm/endpoint/circuit_breaker.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

using namespace std::chrono_literals;

void fail(CircuitBreaker& breaker, std::chrono::nanoseconds now) {
  breaker.begin(now);
  breaker.fail(now);
}

TEST(CircuitBreaker, OpensAfterSoManyFailuresInARow) {
  CircuitBreaker breaker(3, 10s);
  fail(breaker, 1s);
  fail(breaker, 2s);
  breaker.begin(3s);
  breaker.succeed();  // the row begins anew
  fail(breaker, 4s);
  fail(breaker, 5s);
  EXPECT_TRUE(breaker.allows(5s));
  fail(breaker, 6s);
  EXPECT_FALSE(breaker.allows(6s));
  EXPECT_FALSE(breaker.allows(15s));
  EXPECT_EQ(breaker.allowed_from(), 16s);
  EXPECT_TRUE(breaker.allows(16s));
  EXPECT_EQ(breaker.num_openings(), 1U);
}

TEST(CircuitBreaker, LetsOneTrialThroughAndObeysItsOutcome) {
  CircuitBreaker breaker(1, 10s);
  fail(breaker, 0s);
  breaker.begin(10s);
  EXPECT_FALSE(breaker.allows(10s)) << "one trial at a time";
  breaker.fail(11s);
  EXPECT_FALSE(breaker.allows(20s));
  EXPECT_TRUE(breaker.allows(21s));
  breaker.begin(21s);
  breaker.succeed();
  EXPECT_TRUE(breaker.allows(21s));
  EXPECT_EQ(breaker.num_openings(), 2U);
}

TEST(CircuitBreaker, IsNotReopenedByFailuresOfCallsThatWereUnderWay) {
  CircuitBreaker breaker(2, 10s);
  for (int i = 0; i < 5; ++i) {
    breaker.begin(0s);
  }
  for (int i = 0; i < 5; ++i) {
    breaker.fail(std::chrono::seconds(i));
  }
  EXPECT_EQ(breaker.num_openings(), 1U);
  EXPECT_EQ(breaker.allowed_from(), 11s) << "the pause began when it opened";
}

TEST(CircuitBreaker, PausesAtTheServersOwnWord) {
  CircuitBreaker breaker(5, 10s);
  breaker.pause_until(7s);
  EXPECT_FALSE(breaker.allows(6s));
  EXPECT_TRUE(breaker.allows(7s));
  EXPECT_EQ(breaker.num_openings(), 0U);
}

}  // namespace
}  // namespace dreamgym
