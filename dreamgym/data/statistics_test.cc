#include "dreamgym/data/statistics.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

Trajectory episode(const std::string& task, std::size_t num_steps, Outcome outcome) {
  Trajectory trajectory{
      .task = {.id = task, .world = "toy", .split = "train", .source = "log#" + task},
      .policy_version = "expert",
      .steps = std::vector<Transition>(num_steps),
      .outcome = outcome,
      .episode_return = outcome == Outcome::kSuccess ? 1.0 : 0.0};
  return trajectory;
}

TEST(TrajectoryStatistics, CountsByEveryGroup) {
  std::vector<Trajectory> trajectories = {episode("1", 2, Outcome::kSuccess),
                                          episode("1", 4, Outcome::kFailure),
                                          episode("2", 7, Outcome::kSuccess),
                                          episode("3", 9, Outcome::kTruncated)};
  trajectories[2].task.split = "test";
  trajectories[2].task.settings["type"] = "pick";
  trajectories[3].provenance = Provenance::kDreamed;
  trajectories[0].steps[0].action_valid = false;
  trajectories[0].steps[1] = {.observation = {"elsewhere", {"a"}},
                              .reward = 1,
                              .reasoning_trace = "effect: done",
                              .thought = "hm"};
  const TrajectoryStatistics statistics = trajectory_statistics(trajectories);
  EXPECT_EQ(statistics.all, (GroupCount{4, 2, 22}));
  EXPECT_EQ(statistics.tasks, 3);
  EXPECT_EQ(statistics.by_world.at("toy"), (GroupCount{4, 2, 22}));
  EXPECT_EQ(statistics.by_split.at("test"), (GroupCount{1, 1, 7}));
  EXPECT_EQ(statistics.by_task_type.at("-"), (GroupCount{3, 1, 15}));
  EXPECT_EQ(statistics.by_task_type.at("pick"), (GroupCount{1, 1, 7}));
  EXPECT_EQ(statistics.by_outcome.at("truncated"), (GroupCount{1, 0, 9}));
  EXPECT_EQ(statistics.by_source.at("log"), (GroupCount{4, 2, 22}));
  EXPECT_EQ(statistics.by_provenance.at("dreamed").trajectories, 1);
  EXPECT_EQ(statistics.min_steps, 2);
  EXPECT_EQ(statistics.max_steps, 9);
  EXPECT_EQ(statistics.mean_steps, 5.5);
  EXPECT_EQ(statistics.median_steps, 5.5);
  EXPECT_EQ(statistics.mean_return, 0.5);
  EXPECT_EQ(statistics.valid_actions, 21);
  EXPECT_DOUBLE_EQ(statistics.valid_action_share(), 21.0 / 22);
  EXPECT_EQ(statistics.rewarded_transitions, 1);
  EXPECT_EQ(statistics.explained_transitions, 1);
  EXPECT_EQ(statistics.with_admissible, 1);
  EXPECT_EQ(statistics.with_thought, 1);
  EXPECT_EQ(statistics.broken_links, 1);
}

TEST(TrajectoryStatistics, CutsWhatNumbersAnEpisodeOffItsSource) {
  std::vector<Trajectory> trajectories(3);
  trajectories[0].task.source = "log.jsonl:12";
  trajectories[1].task.source = "owner@1:file.jsonl#3";
  trajectories[2].task.source = "";
  const auto statistics = trajectory_statistics(trajectories);
  EXPECT_TRUE(statistics.by_source.contains("log.jsonl"));
  EXPECT_TRUE(statistics.by_source.contains("owner@1:file.jsonl"));
  EXPECT_TRUE(statistics.by_source.contains("-"));
}

TEST(TrajectoryStatistics, CountWhatStandsInSeveralSplits) {
  std::vector<Trajectory> trajectories(4);
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    trajectories[i].task.id = i < 2 ? "same" : std::to_string(i);
    trajectories[i].task.settings[task_settings::kGame] = i == 3 ? "another" : "house";
    trajectories[i].task.split = i == 1 ? "valid" : "train";
  }
  const auto statistics = trajectory_statistics(trajectories);
  EXPECT_EQ(statistics.tasks_in_several_splits, 1U);
  EXPECT_EQ(statistics.games_in_several_splits, 1U);
}

TEST(TrajectoryStatistics, AreAllZeroWithoutTrajectories) {
  const TrajectoryStatistics statistics = trajectory_statistics({});
  EXPECT_EQ(statistics.valid_action_share(), 0);
  EXPECT_EQ(statistics.mean_return, 0);
  EXPECT_TRUE(contains(to_table(statistics), "all"));
}

TEST(TrajectoryStatistics, AreShownAsATableAndAsJson) {
  const std::vector<Trajectory> trajectories = {episode("1", 2, Outcome::kSuccess),
                                                episode("2", 4, Outcome::kFailure)};
  const auto statistics = trajectory_statistics(trajectories);
  const std::string table = to_table(statistics);
  EXPECT_TRUE(contains(
      table, "  toy                                                   2     50.0%           6\n"))
      << table;
  EXPECT_TRUE(contains(table, "steps an episode      mean 3.0, median 3.0, from 2 to 4\n"))
      << table;
  EXPECT_TRUE(contains(to_json_line(statistics),
                       R"("by_world":{"toy":{"trajectories":2,"successes":1,"transitions":6}})"));
}

}  // namespace
}  // namespace dreamgym
