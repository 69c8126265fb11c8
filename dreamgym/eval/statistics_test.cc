#include "dreamgym/eval/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

TEST(WilsonInterval, MatchesPublishedNumbers) {
  // 50 of 140, as in the field's tables: 35.7 [28.3, 44.0].
  const Estimate estimate = wilson_interval(50, 140);
  EXPECT_NEAR(estimate.value, 0.357, 5e-4);
  EXPECT_NEAR(estimate.low, 0.2826, 5e-4);
  EXPECT_NEAR(estimate.high, 0.4393, 5e-4);
}

TEST(WilsonInterval, StaysInsideZeroAndOne) {
  EXPECT_EQ(wilson_interval(0, 10).low, 0.0);
  EXPECT_GT(wilson_interval(0, 10).high, 0.2);
  EXPECT_EQ(wilson_interval(10, 10).high, 1.0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1.0);
}

TEST(PairedDifference, IsTighterThanTheUnpairedOneWhenTasksAgree) {
  const std::vector<double> a = {1, 1, 1, 0, 0, 0, 1, 1};
  const std::vector<double> b = {1, 1, 0, 0, 0, 0, 1, 1};
  const Estimate difference = paired_difference(a, b);
  EXPECT_DOUBLE_EQ(difference.value, 0.125);
  EXPECT_NEAR(difference.high - difference.value, 1.96 * 0.125, 1e-3);
}

TEST(PairedDifference, RefusesPanelsOfDifferentLength) {
  EXPECT_THROW((void)paired_difference(std::vector<double>{1, 0}, std::vector<double>{1}), Error);
}

TEST(PairedDifference, CoversTheTruthAboutNinetyFivePercentOfTheTime) {
  Rng rng(3);
  int covered = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 200; ++i) {
      a.push_back(rng.uniform() < 0.6 ? 1 : 0);
      b.push_back(rng.uniform() < 0.4 ? 1 : 0);
    }
    const Estimate d = paired_difference(a, b);
    covered += d.low <= 0.2 && 0.2 <= d.high ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(kRounds), 0.95, 0.03);
}

TEST(MeanOverSeeds, UsesStudentsQuantile) {
  const Estimate estimate = mean_over_seeds(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(estimate.value, 2);
  EXPECT_NEAR(estimate.high - 2, 4.303 / std::sqrt(3.0), 1e-3);
  EXPECT_THROW((void)mean_over_seeds(std::vector<double>{1}), Error);
}

TEST(PairedSignTest, IsMcNemarsExactTest) {
  // 8 wins and 2 losses of 10 unequal pairs: 2 (1 + 10 + 45) / 1024.
  std::vector<double> a(14, 1.0);
  std::vector<double> b(14, 1.0);
  for (int i = 0; i < 8; ++i) {
    b[static_cast<std::size_t>(i)] = 0;
  }
  a[8] = a[9] = 0;
  EXPECT_NEAR(paired_sign_test(a, b), 2 * 56.0 / 1024, 1e-12);
  EXPECT_NEAR(paired_sign_test(b, a), 2 * 56.0 / 1024, 1e-12);
  EXPECT_EQ(paired_sign_test(a, a), 1.0);
}

// Newcombe 1998, table II: 56/70 against 48/80, method 10.
TEST(IndependentDifference, IsNewcombesHybridScoreInterval) {
  const Estimate difference = independent_difference(wilson_interval(56, 70), wilson_interval(48, 80));
  EXPECT_NEAR(difference.value, 0.2, 1e-12);
  EXPECT_NEAR(difference.low, 0.0524, 5e-5);
  EXPECT_NEAR(difference.high, 0.3339, 5e-5);
}

TEST(Correlation, MatchesAWorkedExample) {
  // Anscombe's first set: r = 0.81642; Fisher's interval of 11 points.
  const std::vector<double> x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  const auto r = correlation(x, y);
  ASSERT_TRUE(r.has_value());
  EXPECT_NEAR(r->value, 0.81642, 1e-5);
  EXPECT_NEAR(r->low, 0.42439, 1e-4);
  EXPECT_NEAR(r->high, 0.95069, 1e-4);
}

TEST(Correlation, SaysNothingOfConstantsAndRefusesShortSeries) {
  EXPECT_FALSE(correlation(std::vector<double>{1, 1, 1, 1}, std::vector<double>{1, 2, 3, 4}).has_value());
  EXPECT_EQ(correlation(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1})->value, -1);
  EXPECT_THROW((void)correlation(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 3}), Error);
}

}  // namespace
}  // namespace dreamgym
