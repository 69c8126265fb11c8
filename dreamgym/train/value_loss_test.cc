#include "dreamgym/train/value_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/rng.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

TEST(ClippedValueLoss, MatchesTheReference) {
  for (const auto& golden : golden_numbers("value")) {
    const ValueTokenLoss ours = clipped_value_loss(
        golden["value"], golden["old"], golden["target"], {.clip = golden["clip"]});
    expect_close(ours.loss, golden["loss"], golden.dump());
    expect_close(ours.d_value, golden["d_value"], golden.dump());
  }
}

TEST(ClippedValueLoss, IsHalfTheSquaredErrorInsideTheClip) {
  const ValueTokenLoss loss = clipped_value_loss(1.0, 0.8, 3.0, {.clip = 0.5});
  EXPECT_DOUBLE_EQ(loss.loss, 2.0);
  EXPECT_DOUBLE_EQ(loss.d_value, -2.0);
  EXPECT_FALSE(loss.clipped);
}

TEST(ClippedValueLoss, StopsEarningOnceTheValueHasMovedFarTowardsTheTarget) {
  // Moved from 0 to 1 towards 3; at the bound 0.5 the error is 2.5.
  const ValueTokenLoss loss = clipped_value_loss(1.0, 0.0, 3.0, {.clip = 0.5});
  EXPECT_DOUBLE_EQ(loss.loss, 2.5 * 2.5 / 2);
  EXPECT_EQ(loss.d_value, 0.0);
  EXPECT_TRUE(loss.clipped);
}

TEST(ClippedValueLoss, StillPullsBackAValueThatMovedAway) {
  EXPECT_DOUBLE_EQ(clipped_value_loss(-1.0, 0.0, 3.0, {.clip = 0.5}).d_value, -4.0);
}

TEST(ClippedValueLoss, GradientMatchesFiniteDifferences) {
  Rng rng(4);
  for (int round = 0; round < 300; ++round) {
    const double value = rng.normal();
    const double old_value = rng.normal();
    const double target = rng.normal();
    const ValueLossConfig config = {.clip = round % 3 == 0 ? 0.0 : 0.5};
    constexpr double kStep = 1e-6;
    if (std::abs(std::abs(value - old_value) - config.clip) < 1e-3) {
      continue;  // at a kink
    }
    const double above = clipped_value_loss(value + kStep, old_value, target, config).loss;
    const double below = clipped_value_loss(value - kStep, old_value, target, config).loss;
    EXPECT_NEAR(clipped_value_loss(value, old_value, target, config).d_value,
                (above - below) / (2 * kStep),
                1e-6)
        << "round " << round;
  }
}

}  // namespace
}  // namespace dreamgym
