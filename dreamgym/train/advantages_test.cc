#include "dreamgym/train/advantages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

TEST(GroupAdvantages, MatchHandComputedNumbers) {
  // mean 0.25, squared deviations 0.5625 + 3 * 0.0625 = 0.75, std sqrt(0.75 / 3) = 0.5.
  const std::vector<double> advantages = group_advantages(std::vector<double>{1, 0, 0, 0}, 1e-6);
  EXPECT_NEAR(advantages[0], 0.75 / 0.500001, 1e-12);
  EXPECT_NEAR(advantages[1], -0.25 / 0.500001, 1e-12);
}

TEST(GroupAdvantages, AreZeroWhenReturnsAreEqual) {
  for (const double advantage : group_advantages(std::vector<double>{0.3, 0.3, 0.3})) {
    EXPECT_EQ(advantage, 0.0);
  }
}

TEST(GroupAdvantages, RefuseAGroupOfOne) {
  EXPECT_THROW((void)group_advantages(std::vector<double>{1.0}), Error);
}

TEST(GroupAdvantages, SumToZeroAndIgnoreAShift) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> returns(2 + rng.below(9));
    std::vector<double> shifted;
    for (double& value : returns) {
      value = rng.normal();
    }
    for (const double value : returns) {
      shifted.push_back(value + 3.0);
    }
    const auto a = group_advantages(returns);
    const auto b = group_advantages(shifted);
    EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), 0.0, 1e-9) << "round " << round;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-9) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace dreamgym
