#include "dreamgym/train/policy_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

TEST(ClippedPolicyLoss, EqualsMinusAdvantageAtRatioOne) {
  const PolicyTokenLoss loss = clipped_policy_loss({-1.5, -1.5, 0, 0.7}, {});
  EXPECT_DOUBLE_EQ(loss.loss, -0.7);
  EXPECT_DOUBLE_EQ(loss.d_logprob, -0.7);
  EXPECT_FALSE(loss.clipped);
}

TEST(ClippedPolicyLoss, HasNoGradientBeyondTheClip) {
  const double up = std::log(1.5);
  EXPECT_TRUE(clipped_policy_loss({-1.0 + up, -1.0, 0, 1.0}, {}).clipped);
  EXPECT_DOUBLE_EQ(clipped_policy_loss({-1.0 + up, -1.0, 0, 1.0}, {}).loss, -1.2);
  EXPECT_EQ(clipped_policy_loss({-1.0 + up, -1.0, 0, 1.0}, {}).d_logprob, 0.0);
  // A bad action that became more likely is pushed down however far it went.
  EXPECT_DOUBLE_EQ(clipped_policy_loss({-1.0 + up, -1.0, 0, -1.0}, {}).d_logprob, 1.5);
}

TEST(ClippedPolicyLoss, StaysFiniteForAbsurdLogProbabilities) {
  PolicyLossConfig config;
  config.kl_coefficient = 0.1;
  for (const double logprob : {-1e9, -1e3, 0.0}) {
    for (const double other : {-1e9, -1e3, 0.0}) {
      const PolicyTokenLoss loss = clipped_policy_loss({logprob, other, other, -1.0}, config);
      EXPECT_TRUE(std::isfinite(loss.loss));
      EXPECT_TRUE(std::isfinite(loss.d_logprob));
    }
  }
}

TEST(ClippedPolicyLoss, GradientMatchesFiniteDifferences) {
  Rng rng(11);
  PolicyLossConfig config;
  config.kl_coefficient = 0.3;
  config.clip_high = 0.28;
  config.dual_clip = 2.0;
  for (int round = 0; round < 500; ++round) {
    config.kl_estimator = round % 2 == 0 ? KlEstimator::kK3 : KlEstimator::kK2;
    PolicyToken token{-2 * rng.uniform(),
                      -2 * rng.uniform(),
                      -2 * rng.uniform(),
                      rng.normal(),
                      0.5 + rng.uniform()};
    const double ratio = std::exp(token.logprob - token.old_logprob);
    if (std::abs(ratio - 0.8) < 1e-3 || std::abs(ratio - 1.28) < 1e-3 ||
        std::abs(ratio - 2.0) < 1e-3) {
      continue;  // at a kink of a clip
    }
    const double analytic = clipped_policy_loss(token, config).d_logprob;
    constexpr double kStep = 1e-6;
    token.logprob += kStep;
    const double above = clipped_policy_loss(token, config).loss;
    token.logprob -= 2 * kStep;
    const double below = clipped_policy_loss(token, config).loss;
    EXPECT_NEAR(analytic, (above - below) / (2 * kStep), 1e-5) << "round " << round;
  }
}

TEST(ClippedPolicyLoss, ReachesFurtherUpWithAnAsymmetricClip) {
  PolicyLossConfig config;
  config.clip_high = 0.28;
  const double up = std::log(1.25);
  EXPECT_TRUE(clipped_policy_loss({-1.0 + up, -1.0, 0, 1.0}, {}).clipped);
  EXPECT_FALSE(clipped_policy_loss({-1.0 + up, -1.0, 0, 1.0}, config).clipped);
  EXPECT_DOUBLE_EQ(clipped_policy_loss({-1.0 + std::log(2.0), -1.0, 0, 1.0}, config).loss, -1.28);
}

TEST(ClippedPolicyLoss, StopsPushingABadActionDownBeyondTheDualClip) {
  PolicyLossConfig config;
  config.dual_clip = 3.0;
  const PolicyTokenLoss far = clipped_policy_loss({-1.0, -1.0 - std::log(5.0), 0, -2.0}, config);
  EXPECT_DOUBLE_EQ(far.loss, 6.0);
  EXPECT_EQ(far.d_logprob, 0.0);
  EXPECT_TRUE(far.clipped);
  const PolicyTokenLoss near = clipped_policy_loss({-1.0, -1.0 - std::log(2.0), 0, -2.0}, config);
  EXPECT_DOUBLE_EQ(near.d_logprob, 4.0);
  // A good action is not concerned.
  EXPECT_DOUBLE_EQ(clipped_policy_loss({-1.0, -1.0 - std::log(5.0), 0, 2.0}, config).loss, -2.4);
}

TEST(ClippedPolicyLoss, WeightScalesThePolicyTermAndNotTheKlTerm) {
  PolicyLossConfig config;
  config.kl_coefficient = 1.0;
  const double kl = clipped_policy_loss({-0.5, -0.5, -1.0, 0.0}, config).loss;
  const PolicyTokenLoss loss = clipped_policy_loss({-0.5, -0.5, -1.0, 2.0, 0.25}, config);
  EXPECT_DOUBLE_EQ(loss.loss, -0.5 + kl);
}

TEST(ClippedPolicyLoss, KlTermIsNonNegativeAndPullsTowardsTheReference) {
  PolicyLossConfig config;
  config.kl_coefficient = 1.0;
  const PolicyTokenLoss above = clipped_policy_loss({-0.5, -0.5, -1.0, 0.0}, config);
  EXPECT_GT(above.kl_to_reference, 0.0);
  EXPECT_GT(above.d_logprob, 0.0);  // minimising lowers a log-probability above the reference
  EXPECT_LT(clipped_policy_loss({-1.5, -1.5, -1.0, 0.0}, config).d_logprob, 0.0);
}

}  // namespace
}  // namespace dreamgym
