#include "dreamgym/llm/endpoint/retry.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, GrowsTwofoldUpToItsLimitAndIsSpreadOverAllOfIt) {
  Rng rng(1);
  for (std::size_t attempt = 1; attempt <= 8; ++attempt) {
    const auto limit = std::min<std::chrono::nanoseconds>(100ms * (1 << (attempt - 1)), 2s);
    std::chrono::nanoseconds largest{0};
    std::chrono::nanoseconds smallest = limit;
    for (int i = 0; i < 500; ++i) {
      const auto pause = backoff(100ms, 2s, attempt, rng);
      EXPECT_LT(pause, limit);
      EXPECT_GE(pause, 0ns);
      largest = std::max(largest, pause);
      smallest = std::min(smallest, pause);
    }
    EXPECT_GT(largest, limit * 9 / 10) << attempt;
    EXPECT_LT(smallest, limit / 10) << attempt;
  }
  EXPECT_LE(backoff(100ms, 2s, 100'000, rng), 2s) << "no overflow";
}

TEST(ParseRetryAfter, ReadsSecondsAndDates) {
  const std::chrono::sys_seconds now(784111777s);  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(parse_retry_after(" 120 ", now), 120s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), 10s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), 0s) << "in the past: now";
  EXPECT_EQ(parse_retry_after("99999999999999", now), 86'400s) << "a day at most";
  EXPECT_EQ(parse_retry_after("", now), std::nullopt);
  EXPECT_EQ(parse_retry_after("soon", now), std::nullopt);
  EXPECT_EQ(parse_retry_after("-5", now), std::nullopt);
}

TEST(IsRetryableStatus, IsTrueForWhatPasses) {
  for (const long status : {408, 425, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(is_retryable_status(status)) << status;
  }
  for (const long status : {200, 301, 400, 401, 404, 422, 501, 505}) {
    EXPECT_FALSE(is_retryable_status(status)) << status;
  }
}

}  // namespace
}  // namespace dreamgym
