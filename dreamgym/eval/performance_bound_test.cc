#include "dreamgym/eval/performance_bound.h"

#include <cmath>

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

TEST(PerformanceBound, IsTheTheoremsFormula) {
  const auto bound = performance_bound({.discount = 0.9, .largest_reward = 1, .reward_error = 0.01,
                                        .transition_error = 0.02, .surrogate_advantage = 0.5, .policy_divergence = 0.001});
  EXPECT_NEAR(bound.model_gap, 0.1 + 2 * 0.9 * 0.02 * 100, 1e-9);
  EXPECT_NEAR(bound.surrogate_gain, 5, 1e-9);
  EXPECT_NEAR(bound.trust_region_penalty, 4 * 0.9 * 100 * 10 * 0.001, 1e-9);
  EXPECT_NEAR(bound.improvement, 5 - 3.6 - 2 * bound.model_gap, 1e-9);
  EXPECT_EQ(performance_bound({}).model_gap, 0) << "a perfect dream has no gap";
}

// Lemma 1 on random two-state worlds: the value of a policy (here a chain) never differs by more than it says.
TEST(PerformanceBound, HoldsOnRandomChains) {
  Rng rng(5);
  const double gamma = 0.8;
  for (int round = 0; round < 300; ++round) {
    double p[2][2];  // real and dreamed probability of going to state 1 from each state
    double r[2][2];
    for (auto& world : p) {
      for (double& x : world) {
        x = rng.uniform();
      }
    }
    for (auto& world : r) {
      for (double& x : world) {
        x = rng.uniform();
      }
    }
    const auto value = [&](int world) {  // of state 0, by iteration
      double v[2] = {0, 0};
      for (int i = 0; i < 400; ++i) {
        const double next[2] = {r[world][0] + gamma * ((1 - p[world][0]) * v[0] + p[world][0] * v[1]),
                                r[world][1] + gamma * ((1 - p[world][1]) * v[0] + p[world][1] * v[1])};
        v[0] = next[0];
        v[1] = next[1];
      }
      return v[0];
    };
    const double reward_error = std::max(std::abs(r[0][0] - r[1][0]), std::abs(r[0][1] - r[1][1]));
    const double transition_error = std::max(std::abs(p[0][0] - p[1][0]), std::abs(p[0][1] - p[1][1]));
    const auto bound = performance_bound({.discount = gamma, .reward_error = reward_error, .transition_error = transition_error});
    EXPECT_LE(std::abs(value(0) - value(1)), bound.model_gap + 1e-9);
  }
}

TEST(PerformanceBound, NamesWhatIsOutsideItsRange) {
  EXPECT_THROW((void)performance_bound({.discount = 1}), Error);
  EXPECT_THROW((void)performance_bound({.transition_error = 1.5}), Error);
  EXPECT_THROW((void)performance_bound({.policy_divergence = -1}), Error);
}

}  // namespace
}  // namespace dreamgym
