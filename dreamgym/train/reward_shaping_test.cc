#include "dreamgym/train/reward_shaping.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

Trajectory trajectory(const std::vector<std::pair<double, bool>>& steps) {
  Trajectory out;
  out.episode_id = "e7";
  for (const auto& [reward, valid] : steps) {
    out.steps.push_back({.action_valid = valid, .reward = reward});
  }
  return out;
}

TEST(PenalisedStepRewards, SubtractThePenaltyWhereTheActionWasNotUnderstood) {
  EXPECT_EQ(penalised_step_rewards(trajectory({{0, true}, {0, false}, {1, true}}), 0.1),
            (std::vector<double>{0, -0.1, 1}));
}

TEST(PenalisedStepRewards, RefuseARewardThatIsNotANumber) {
  const Trajectory bad = trajectory({{0, true}, {std::numeric_limits<double>::quiet_NaN(), true}});
  const std::string message = message_of([&] { return penalised_step_rewards(bad, 0.1); });
  EXPECT_TRUE(contains(message, "step rewards of episode \"e7\": value 2 of 2 is nan")) << message;
}

TEST(OverlongPenalty, GrowsLinearlyThroughTheBuffer) {
  const OverlongConfig config = {.max_tokens = 100, .buffer_tokens = 20, .factor = 2.0};
  EXPECT_EQ(overlong_penalty(0, config), 0.0);
  EXPECT_EQ(overlong_penalty(80, config), 0.0);
  EXPECT_DOUBLE_EQ(overlong_penalty(85, config), -0.5);
  EXPECT_DOUBLE_EQ(overlong_penalty(100, config), -2.0);
  EXPECT_DOUBLE_EQ(overlong_penalty(500, config), -2.0);
}

TEST(OverlongPenalty, RefusesABufferThatDoesNotFit) {
  EXPECT_TRUE(contains(
      message_of([] { return overlong_penalty(1, {.max_tokens = 10, .buffer_tokens = 11}); }),
      "expected 1 to 10"));
  EXPECT_NE(message_of([] { return overlong_penalty(1, {.max_tokens = 10, .buffer_tokens = 0}); }),
            "");
}

}  // namespace
}  // namespace dreamgym
