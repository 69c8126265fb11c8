#include "dreamgym/train/gigpo.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

TEST(Gigpo, MatchesTheReference) {
  for (const auto& golden : golden_numbers("gigpo")) {
    std::vector<GigpoStep> steps;
    for (const auto& step : golden["steps"]) {
      steps.push_back({step["group"],
                       step["episode"],
                       step["episode_score"],
                       step["reward"],
                       step["anchor"].get<std::string>()});
    }
    const auto ours = gigpo_advantages(steps,
                                       {.gamma = golden["gamma"],
                                        .step_weight = golden["weight"],
                                        .scale_by_std = golden["scale"],
                                        .similarity = golden["similarity"],
                                        .count_every_step = golden["every_step"]});
    expect_close(discounted_step_returns(steps, golden["gamma"]), golden["returns"], "returns");
    expect_close(ours.episode_part, golden["episode_part"], "episode part");
    expect_close(ours.step_part, golden["step_part"], "step part");
    expect_close(ours.advantages, golden["advantages"], "advantages");
  }
}

TEST(Gigpo, MatchesAHandComputedTable) {
  // Both episodes stand at "door" first; returns there 0.5 * 1 = 0.5 and 0. Mean 0.25.
  // Episode part without scaling: 1 - 0.5 and 0 - 0.5.
  const std::vector<GigpoStep> steps = {
      {1, 1, 1.0, 0.0, "door"}, {1, 1, 1.0, 1.0, "hall"}, {1, 2, 0.0, 0.0, "door"}};
  const auto ours =
      gigpo_advantages(steps, {.gamma = 0.5, .step_weight = 2.0, .scale_by_std = false});
  EXPECT_EQ(ours.step_part, (std::vector<double>{0.25, 0.0, -0.25}));
  EXPECT_EQ(ours.advantages, (std::vector<double>{1.0, 0.5, -1.0}));
  EXPECT_EQ(ours.num_anchor_groups, 2u);
  EXPECT_EQ(ours.singleton_anchors, 1u);
}

TEST(Gigpo, NeverComparesStatesOfDifferentTasks) {
  const std::vector<GigpoStep> steps = {{1, 1, 0, 0, "door"}, {2, 2, 0, 0, "door"}};
  EXPECT_NE(anchor_groups(steps, 1.0)[0], anchor_groups(steps, 1.0)[1]);
  EXPECT_NE(anchor_groups(steps, 0.5)[0], anchor_groups(steps, 0.5)[1]);
}

TEST(Gigpo, KeepsTheEpisodesOfAnInterleavedBatchApart) {
  const std::vector<GigpoStep> steps = {
      {1, 1, 1, 0, "a"}, {1, 2, 0, 0, "a"}, {1, 1, 1, 1, "b"}, {1, 2, 0, 0, "c"}};
  EXPECT_EQ(discounted_step_returns(steps, 0.5), (std::vector<double>{0.5, 0, 1, 0}));
}

TEST(Gigpo, RefusesNumbersOutOfRange) {
  const std::vector<GigpoStep> steps = {{1, 1, 0, std::numeric_limits<double>::quiet_NaN(), "a"},
                                        {1, 2, 0, 0, "a"}};
  EXPECT_TRUE(contains(message_of([&] { return gigpo_advantages(steps, {}); }), "step rewards"));
  EXPECT_TRUE(contains(message_of([&] { return gigpo_advantages(steps, {.gamma = 2}); }), "gamma"));
  EXPECT_TRUE(contains(message_of([&] { return anchor_groups(steps, 1.5); }), "similarity"));
}

}  // namespace
}  // namespace dreamgym
