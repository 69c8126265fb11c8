#include "dreamgym/train/policy_guards.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

TEST(PolicyGuards, EndTrainingAfterAlarmsInARow) {
  PolicyGuards guards({.max_kl = 0.1, .patience = 2});
  guards.observe(0.2, 1.0, 0.5);
  EXPECT_EQ(guards.stop_reason(), StopReason::kNone);
  guards.observe(0.0, 1.0, 0.5);  // calm again
  guards.observe(-0.2, 1.0, 0.5);
  guards.observe(std::nullopt, std::nullopt, 0.5);  // nothing was updated: neither alarm nor calm
  EXPECT_EQ(guards.num_alarms(), 1U);
  guards.observe(std::numeric_limits<double>::quiet_NaN(), 1.0, 0.5);
  EXPECT_EQ(guards.stop_reason(), StopReason::kKl);
  EXPECT_EQ(guards.counts().kl_alarms, 3U);
  ASSERT_EQ(guards.remarks().size(), 2U);
  EXPECT_TRUE(contains(guards.remarks().front(), "2 iterations in a row moved the policy by more than 0.1"))
      << guards.remarks().front();
}

TEST(PolicyGuards, EndTrainingWhenTheEntropyCollapses) {
  PolicyGuards guards({.min_entropy_share = 0.1, .patience = 1});
  guards.observe(0.0, 2.0, 0.5);
  guards.observe(0.0, 0.3, 0.5);
  EXPECT_EQ(guards.stop_reason(), StopReason::kNone);
  guards.observe(0.0, 0.1, 0.5);
  EXPECT_EQ(guards.stop_reason(), StopReason::kEntropy);
  EXPECT_EQ(guards.metrics().at("train/stopped"), 1.0);
}

TEST(PolicyGuards, LetAPolicyThatSucceedsDoWithoutEntropy) {
  PolicyGuards guards({.min_entropy_share = 0.1, .patience = 1});
  guards.observe(0.0, 2.0, 0.2);
  guards.observe(0.0, 0.01, 0.95);
  EXPECT_EQ(guards.counts().entropy_alarms, 0U);
}

TEST(PolicyGuards, OnlyCountWithoutPatience) {
  PolicyGuards guards({.max_kl = 0.1, .patience = 0});
  for (int i = 0; i < 10; ++i) {
    guards.observe(1.0, 1.0, 0.5);
  }
  EXPECT_EQ(guards.stop_reason(), StopReason::kNone);
  EXPECT_EQ(guards.counts().kl_alarms, 10U);
}

TEST(PolicyGuards, LowerTheRateToItsFloorAndCountIt) {
  PolicyGuards guards({.max_kl = 0.1, .patience = 0, .rate_factor = 0.5, .rate_floor = 0.2});
  guards.begin_iteration();
  guards.count({.gradient_norm = 1.0});
  EXPECT_EQ(guards.rate_share(), 1.0);
  guards.count({.spike = true});
  EXPECT_EQ(guards.rate_share(), 0.5);
  guards.count({.not_finite = true});
  EXPECT_EQ(guards.rate_share(), 0.25);
  guards.observe(0.5, 1.0, 0.5);
  EXPECT_EQ(guards.rate_share(), 0.2);
  guards.observe(0.5, 1.0, 0.5);
  EXPECT_EQ(guards.counts().backoffs, 3U);
  const auto metrics = guards.metrics();
  EXPECT_EQ(metrics.at("train/skipped"), 1.0);
  EXPECT_EQ(metrics.at("train/spikes_skipped"), 1.0);
  EXPECT_EQ(metrics.at("train/rate_backoffs"), 3.0);
  EXPECT_EQ(metrics.at("train/kl_alarm"), 2.0);
}

TEST(PolicyGuards, GoOnFromWhatTheySaved) {
  const GuardConfig config = {.max_kl = 0.1, .patience = 3, .rate_factor = 0.7};
  PolicyGuards guards(config);
  guards.observe(0.0, 1.7, 0.5);
  guards.observe(0.3, 1.0, 0.5);
  guards.count({.spike = true});
  PolicyGuards resumed(config);
  resumed.restore(guards.save());
  EXPECT_EQ(resumed.save(), guards.save());
  EXPECT_EQ(resumed.rate_share(), guards.rate_share());
  resumed.observe(0.3, 1.0, 0.5);
  resumed.observe(0.3, 1.0, 0.5);
  EXPECT_EQ(resumed.stop_reason(), StopReason::kKl);
}

TEST(PolicyGuards, RefuseValuesOutOfRange) {
  const std::string message =
      message_of([] { return PolicyGuards({.rate_factor = 2}).rate_share(); });
  EXPECT_TRUE(contains(message, "guards.rate_factor is 2")) << message;
}

}  // namespace
}  // namespace dreamgym
