#include "dreamgym/report/guards.h"

#include <gtest/gtest.h>

#include <limits>

namespace dreamgym {
namespace {

TEST(FindAlarms, AreNoneWhileEverythingIsHealthy) {
  const std::vector<MetricSeries> metrics = {
      {"dream", "train/skipped", {{1, 0}, {2, 0}}},
      {"dream", "train/entropy_nats", {{1, 0.9}, {2, 0.3}}},
      {"dream", "train/gradient_norm", {{1, 1}, {2, 3}, {3, 2}}},
      {"dream", "rollout/success_share", {{1, 0}, {2, 1}}}};
  EXPECT_TRUE(find_alarms(metrics).empty());
  EXPECT_TRUE(find_alarms({}).empty());
}

TEST(FindAlarms, NameWhereARuleWasFirstBrokenAndHowOften) {
  const std::vector<MetricSeries> metrics = {
      {"dream", "train/kl_to_old_nats", {{1, 0.01}, {2, 0.5}, {3, 0.02}, {4, -0.3}}}};
  const auto alarms = find_alarms(metrics);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].phase, "dream");
  EXPECT_EQ(alarms[0].metric, "train/kl_to_old_nats");
  EXPECT_EQ(alarms[0].step, 2U);
  EXPECT_EQ(alarms[0].num_steps, 2U);
}

TEST(FindAlarms, SeeEachKindOfTrouble) {
  const auto alarmed = [](const char* metric, std::vector<double> values) {
    MetricSeries series{"p", metric, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      series.points.emplace_back(i, values[i]);
    }
    return find_alarms(std::vector{series}).size();
  };
  EXPECT_EQ(alarmed("any/thing", {1, std::numeric_limits<double>::quiet_NaN()}), 1U);
  EXPECT_EQ(alarmed("train/skipped", {0, 1}), 1U);
  EXPECT_EQ(alarmed("train/gradient_norm", {1, 1, 1, 11}), 1U);
  EXPECT_EQ(alarmed("train/gradient_norm", {1, 1, 1, 9}), 0U);
  EXPECT_EQ(alarmed("train/entropy_nats", {1, 0.04}), 1U);
  EXPECT_EQ(alarmed("train/entropy_nats", {0, 0}), 0U);
  EXPECT_EQ(alarmed("train/clipped_share", {0.6}), 1U);
  EXPECT_EQ(alarmed("train/informative_share", {0.9, 0.0}), 1U);
  EXPECT_EQ(alarmed("rollout/invalid_action_share", {0.4}), 1U);
  EXPECT_EQ(alarmed("replay/duplicate_share", {0.99}), 1U);
  EXPECT_EQ(alarmed("replay/effective_share", {0.4, 0.09}), 1U);
  EXPECT_EQ(alarmed("replay/effective_share", {0.4, 0.2}), 0U);
  EXPECT_EQ(alarmed("trust/above_logs_share", {0.05, 0.2}), 1U);
  EXPECT_EQ(alarmed("trust/unconfirmed_rise", {0, 0.2}), 1U);
  EXPECT_EQ(alarmed("trust/probe_rise", {0, 0.2, 0.3}), 1U);
}

}  // namespace
}  // namespace dreamgym
