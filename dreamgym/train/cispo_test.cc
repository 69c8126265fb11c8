#include "dreamgym/train/cispo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dreamgym {
namespace {

constexpr PolicyLossConfig kConfig = {.clip_low = 1.0, .clip_high = 0.2};

TEST(CispoPolicyLoss, EqualsThePolicyGradientAtRatioOne) {
  const PolicyTokenLoss loss = cispo_policy_loss({-1.5, -1.5, 0, 0.7}, kConfig);
  EXPECT_DOUBLE_EQ(loss.d_logprob, -0.7);
  EXPECT_DOUBLE_EQ(loss.loss, 0.7 * 1.5);
}

TEST(CispoPolicyLoss, KeepsTheBoundsWeightBeyondTheBound) {
  const PolicyTokenLoss loss = cispo_policy_loss({-1.0, -1.0 - std::log(3.0), 0, 0.5}, kConfig);
  EXPECT_TRUE(loss.clipped);
  EXPECT_DOUBLE_EQ(loss.d_logprob, -1.2 * 0.5);
  EXPECT_EQ(clipped_policy_loss({-1.0, -1.0 - std::log(3.0), 0, 0.5}, kConfig).d_logprob, 0.0);
}

TEST(CispoPolicyLoss, HasNoLowerBoundWithClipLowOne) {
  const PolicyTokenLoss loss = cispo_policy_loss({-5.0, -1.0, 0, 1.0}, kConfig);
  EXPECT_FALSE(loss.clipped);
  EXPECT_DOUBLE_EQ(loss.d_logprob, -std::exp(-4.0));
}

TEST(CispoPolicyLoss, GradientIsThatOfLogprobTimesAConstantWeight) {
  for (const double logprob : {-2.0, -1.0, -0.3}) {
    const PolicyTokenLoss loss = cispo_policy_loss({logprob, -1.0, 0, 0.8, 0.5}, kConfig);
    constexpr double kStep = 1e-6;
    const double weight = -loss.d_logprob / 0.8;  // frozen at the present ratio
    const double above = -weight * 0.8 * (logprob + kStep);
    const double below = -weight * 0.8 * (logprob - kStep);
    EXPECT_NEAR(loss.d_logprob, (above - below) / (2 * kStep), 1e-8);
    EXPECT_NEAR(weight, 0.5 * std::min(1.2, std::exp(logprob + 1.0)), 1e-12);
  }
}

TEST(CispoPolicyLoss, AddsTheReferenceKl) {
  PolicyLossConfig config = kConfig;
  config.kl_coefficient = 0.5;
  const PolicyTokenLoss loss = cispo_policy_loss({-1.0, -1.0, -2.0, 0.0}, config);
  EXPECT_DOUBLE_EQ(loss.loss, 0.5 * std::exp(-1.0));
  EXPECT_DOUBLE_EQ(loss.d_logprob, 0.5 * (1 - std::exp(-1.0)));
}

}  // namespace
}  // namespace dreamgym
