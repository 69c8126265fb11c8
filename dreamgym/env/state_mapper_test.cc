#include "dreamgym/env/state_mapper.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

/// Lower case abstract, upper case in the world; pages are counted.
class CountingMapper final : public StateMapper {
 public:
  std::string reset(std::string_view, std::string_view observation) override {
    if (observation.empty()) {
      throw Error(ErrorKind::kParse, "no page");
    }
    pages_ = 0;
    return "page 0";
  }
  [[nodiscard]] Action to_world(std::string_view action) const override {
    return "W:" + std::string(action);
  }
  [[nodiscard]] Action from_world(std::string_view action) const override {
    return std::string(action.substr(2));
  }
  std::string observe(std::string_view, bool action_valid, std::string_view) override {
    pages_ += action_valid ? 1 : 0;
    return "page " + std::to_string(pages_);
  }

 private:
  int pages_ = 0;
};

Trajectory log() {
  Trajectory trajectory{.task = {.instruction = "go on"}};
  for (const bool valid : {true, false, true}) {
    trajectory.steps.push_back({.observation = {"long page", {"W:a", "W:b"}},
                                .action = "W:a",
                                .action_valid = valid,
                                .reward = 0.5,
                                .next_observation = {"another long page", {"W:b"}}});
  }
  return trajectory;
}

TEST(MapTrajectory, TurnsPagesAndActionsIntoAbstractOnes) {
  CountingMapper mapper;
  Trajectory trajectory = log();
  map_trajectory(mapper, trajectory);
  const char* pages[] = {"page 0", "page 1", "page 1", "page 2"};
  for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
    EXPECT_EQ(trajectory.steps[i].observation, (Observation{pages[i], {}}));
    EXPECT_EQ(trajectory.steps[i].next_observation, (Observation{pages[i + 1], {}}));
    EXPECT_EQ(trajectory.steps[i].action, "a");
    EXPECT_EQ(trajectory.steps[i].reward, 0.5);
  }
}

TEST(MapTrajectory, LeavesWhatItCantReadAsItWas) {
  CountingMapper mapper;
  Trajectory trajectory = log();
  trajectory.steps.front().observation.text.clear();
  const Trajectory before = trajectory;
  EXPECT_THROW(map_trajectory(mapper, trajectory), Error);
  EXPECT_EQ(trajectory, before);
  Trajectory nothing;
  map_trajectory(mapper, nothing);
  EXPECT_TRUE(nothing.steps.empty());
}

}  // namespace
}  // namespace dreamgym
