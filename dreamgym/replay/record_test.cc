#include "dreamgym/replay/record.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dreamgym {
namespace {

StoredTransition example() {
  StoredTransition record;
  record.world = "alfworld";
  record.split = "train";
  record.instruction = "put a mug in cabinet";
  record.episode_id = "e1";
  record.transition.observation = {"You are in the middle of a room.", {"go to desk 1", "look"}};
  record.transition.action = "go to desk 1";
  record.transition.next_observation = {"On the desk 1, you see a mug 1.", {"look"}};
  return record;
}

TEST(ContentId, DependsOnWhatHappenedAndForWhichTask) {
  std::set<std::string> ids{content_id(example())};
  const auto expect_new = [&](auto change) {
    auto record = example();
    change(record);
    EXPECT_TRUE(ids.insert(content_id(record)).second);
  };
  expect_new([](auto& r) { r.world = "webshop"; });
  expect_new([](auto& r) { r.split = "valid_seen"; });
  expect_new([](auto& r) { r.instruction += "."; });
  expect_new([](auto& r) { r.transition.observation.text += "."; });
  expect_new([](auto& r) { r.transition.observation.admissible.pop_back(); });
  expect_new([](auto& r) { r.transition.action += "."; });
  expect_new([](auto& r) { r.transition.next_observation.text += "."; });
  expect_new([](auto& r) { r.transition.next_observation.admissible.emplace_back("x"); });
  expect_new([](auto& r) { r.transition.reward = 1; });
  expect_new([](auto& r) { r.transition.terminated = true; });
  expect_new([](auto& r) { r.transition.truncated = true; });
  expect_new([](auto& r) { r.transition.action_valid = false; });
}

TEST(ContentId, DoesNotDependOnWhoSawIt) {
  auto record = example();
  record.episode_id = "e2";
  record.step_index = 7;
  record.provenance = Provenance::kDreamed;
  record.policy_version = "step-3";
  record.simulator_version = "dream-1";
  record.transition.reasoning_trace = "effect: new";
  EXPECT_EQ(content_id(record), content_id(example()));
}

TEST(ContentId, KeepsFieldsApart) {
  auto one = example();
  auto two = example();
  one.world = std::string("ab");
  one.split = std::string("c");
  two.world = std::string("a");
  two.split = std::string("bc");
  EXPECT_NE(content_id(one), content_id(two));
}

TEST(DemonstrationHash, IgnoresTheTask) {
  auto one = example();
  auto two = example();
  two.instruction = "another task";
  EXPECT_NE(content_id(one), content_id(two));
  EXPECT_EQ(demonstration_hash(one.transition), demonstration_hash(two.transition));
  two.transition.reward = 1;
  EXPECT_NE(demonstration_hash(one.transition), demonstration_hash(two.transition));
}

TEST(ToRecords, NumbersTheStepsAndKeepsWhereTheyComeFrom) {
  Trajectory trajectory;
  trajectory.episode_id = "e9";
  trajectory.task.instruction = "look at the bowl";
  trajectory.task.world = "alfworld";
  trajectory.task.split = "train";
  trajectory.provenance = Provenance::kDreamed;
  trajectory.policy_version = "step-1";
  trajectory.simulator_version = "dream-2";
  trajectory.steps.resize(2);
  trajectory.steps[0].action = "look";
  trajectory.steps[1].action = "use lamp 1";
  const auto records = to_records(trajectory);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].step_index, 1U);
  EXPECT_EQ(records[1].transition.action, "use lamp 1");
  EXPECT_EQ(records[1].instruction, "look at the bowl");
  EXPECT_EQ(records[1].world, "alfworld");
  EXPECT_EQ(records[1].split, "train");
  EXPECT_EQ(records[1].episode_id, "e9");
  EXPECT_EQ(records[1].provenance, Provenance::kDreamed);
  EXPECT_EQ(records[1].policy_version, "step-1");
  EXPECT_EQ(records[1].simulator_version, "dream-2");
  EXPECT_EQ(records[1].id, content_id(records[1]));
}

}  // namespace
}  // namespace dreamgym
