#include "dreamgym/replay/saturation.h"

#include <cmath>

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

Trajectory story(const std::vector<std::string>& actions) {
  Trajectory trajectory;
  for (const std::string& action : actions) {
    trajectory.steps.push_back({.action = action});
  }
  return trajectory;
}

TEST(MeasureVariety, IsWholeWhereNoTwoAreAlike) {
  const std::vector<Trajectory> stories = {story({"a", "b"}), story({"c", "d"})};
  const ExperienceVariety variety = measure_variety(stories);
  EXPECT_EQ(variety.distinct, 4U);
  EXPECT_NEAR(variety.entropy_nats, std::log(4.0), 1e-12);
  EXPECT_NEAR(variety.effective_share, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(measure_variety({}).effective_share, 1.0);
}

TEST(MeasureVariety, FallsToOneOverNWhereAllAreAlike) {
  const std::vector<Trajectory> stories(8, story({"a"}));
  const ExperienceVariety variety = measure_variety(stories);
  EXPECT_EQ(variety.transitions, 8U);
  EXPECT_EQ(variety.distinct, 1U);
  EXPECT_NEAR(variety.effective_share, 1.0 / 8, 1e-12);
}

TEST(MeasureVariety, CountsTheSameActionInAnotherTaskApart) {
  std::vector<Trajectory> stories = {story({"a"}), story({"a"})};
  stories[1].task.instruction = "another";
  EXPECT_EQ(measure_variety(stories).distinct, 2U);
}

}  // namespace
}  // namespace dreamgym
