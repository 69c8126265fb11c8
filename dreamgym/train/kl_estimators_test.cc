#include "dreamgym/train/kl_estimators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/rng.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

constexpr KlEstimator kAllEstimators[] = {
    KlEstimator::kK1, KlEstimator::kAbs, KlEstimator::kK2, KlEstimator::kK3};

KlEstimator estimator_from(const std::string& name) {
  return name == "k1"    ? KlEstimator::kK1
         : name == "abs" ? KlEstimator::kAbs
         : name == "k2"  ? KlEstimator::kK2
                         : KlEstimator::kK3;
}

TEST(KlEstimate, MatchesTheReference) {
  for (const auto& golden : golden_numbers("kl")) {
    const KlTerm ours = kl_estimate(golden["difference"],
                                    {.estimator = estimator_from(golden["estimator"]),
                                     .straight_through = golden["straight_through"]});
    expect_close(ours.value, golden["value"], golden.dump());
    expect_close(ours.d_logprob, golden["d_logprob"], golden.dump());
  }
}

TEST(KlEstimate, DerivativesMatchFiniteDifferences) {
  constexpr double kStep = 1e-6;
  Rng rng(5);
  for (const KlEstimator estimator : kAllEstimators) {
    for (int round = 0; round < 100; ++round) {
      const double d = (round % 2 == 0 ? 1 : -1) * (0.01 + 2 * rng.uniform());
      const KlConfig config = {.estimator = estimator};
      const double slope =
          (kl_estimate(d + kStep, config).value - kl_estimate(d - kStep, config).value) /
          (2 * kStep);
      EXPECT_NEAR(kl_estimate(d, config).d_logprob, slope, 1e-7) << d;
    }
  }
}

TEST(KlEstimate, StraightThroughKeepsTheValueAndTakesTheDerivativeOfK2) {
  for (const KlEstimator estimator : kAllEstimators) {
    const KlTerm plain = kl_estimate(0.7, {.estimator = estimator});
    const KlTerm plus = kl_estimate(0.7, {.estimator = estimator, .straight_through = true});
    EXPECT_EQ(plus.value, plain.value);
    EXPECT_EQ(plus.d_logprob, 0.7);
  }
}

// Two policies over three actions; expectations are exact sums.
struct Policies {
  double policy[3] = {0.6, 0.3, 0.1};
  double reference[3] = {0.2, 0.5, 0.3};
};

TEST(KlEstimate, K1AndK3HaveTheTrueKlAsTheirMean) {
  const Policies p;
  double kl = 0;
  double k1 = 0;
  double k3 = 0;
  for (int a = 0; a < 3; ++a) {
    const double d = std::log(p.policy[a] / p.reference[a]);
    kl += p.policy[a] * d;
    k1 += p.policy[a] * kl_estimate(d, {.estimator = KlEstimator::kK1}).value;
    k3 += p.policy[a] * kl_estimate(d, {.estimator = KlEstimator::kK3}).value;
  }
  EXPECT_NEAR(k1, kl, 1e-12);
  EXPECT_NEAR(k3, kl, 1e-12);
}

TEST(KlEstimate, K2HasTheTrueKlsGradientAsItsMean) {
  // With log-softmax: d logprob_a / d logit_j = [a = j] - p_j, and dKL/d logit_j is
  // p_j (log(p_j / q_j) - KL).
  const Policies p;
  double kl = 0;
  for (int a = 0; a < 3; ++a) {
    kl += p.policy[a] * std::log(p.policy[a] / p.reference[a]);
  }
  for (int j = 0; j < 3; ++j) {
    double mean = 0;
    for (int a = 0; a < 3; ++a) {
      const double d = std::log(p.policy[a] / p.reference[a]);
      const double slope = kl_estimate(d, {.estimator = KlEstimator::kK2}).d_logprob;
      mean += p.policy[a] * slope * ((a == j ? 1.0 : 0.0) - p.policy[j]);
    }
    const double exact = p.policy[j] * (std::log(p.policy[j] / p.reference[j]) - kl);
    EXPECT_NEAR(mean, exact, 1e-12);
  }
}

TEST(KlEstimate, K3IsNeverNegativeAndStaysBounded) {
  for (const double d : {-1e9, -800.0, -5.0, -1e-9, 0.0, 1e-9, 5.0, 800.0, 1e9}) {
    const KlTerm k3 = kl_estimate(d, {});
    EXPECT_GE(k3.value, 0.0) << d;
    EXPECT_LE(k3.value, 10.0) << d;
    EXPECT_TRUE(std::isfinite(k3.d_logprob)) << d;
  }
}

TEST(KlPenalisedRewards, SubtractTheEstimateOfEachToken) {
  const std::vector<double> rewards = {0.0, 1.0};
  const std::vector<double> logprobs = {-1.0, -2.0};
  const std::vector<double> reference = {-1.5, -1.0};
  EXPECT_EQ(
      kl_penalised_rewards(rewards, logprobs, reference, 0.1, {.estimator = KlEstimator::kK1}),
      (std::vector<double>{-0.05, 1.1}));
  EXPECT_EQ(kl_penalised_rewards(rewards, logprobs, logprobs, 0.1, {}), rewards);
}

}  // namespace
}  // namespace dreamgym
