#include "dreamgym/train/preference_pairs.h"

#include <gtest/gtest.h>

#include <set>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

/// An episode that takes these actions and sees "o" and the actions before.
Trajectory episode(const std::string& task,
                   Outcome outcome,
                   const std::vector<std::string>& actions) {
  Trajectory out;
  out.task.id = task;
  out.outcome = outcome;
  std::string seen = "o";
  for (const std::string& action : actions) {
    out.steps.push_back({.observation = {.text = seen}, .action = action});
    seen += " " + action;
  }
  return out;
}

TEST(BuildPreferencePairs, JoinASuccessAndAFailureOfOneTaskWhereTheyPart) {
  const std::vector<Trajectory> episodes = {episode("t1", Outcome::kFailure, {"a", "b", "x"}),
                                            episode("t2", Outcome::kSuccess, {"a"}),
                                            episode("t1", Outcome::kSuccess, {"a", "b", "c"})};
  const PreferencePairs built = build_preference_pairs(episodes, {});
  ASSERT_EQ(built.pairs.size(), 1u);
  EXPECT_EQ(built.pairs[0], (PreferencePair{.chosen = 2, .rejected = 0, .shared_steps = 2}));
  EXPECT_EQ(built.tasks, 2u);
  EXPECT_EQ(built.tasks_without_pair, 1u);
}

TEST(BuildPreferencePairs, TakeTruncationForFailureAndLeaveInfrastructureErrorsOut) {
  const std::vector<Trajectory> episodes = {episode("t", Outcome::kInfrastructureError, {"x"}),
                                            episode("t", Outcome::kTruncated, {"y"}),
                                            episode("t", Outcome::kSuccess, {"a"}),
                                            episode("t", Outcome::kFailure, {})};
  const PreferencePairs built = build_preference_pairs(episodes, {});
  ASSERT_EQ(built.pairs.size(), 1u);
  EXPECT_EQ(built.pairs[0].rejected, 1u);
}

TEST(BuildPreferencePairs, UseEpisodesEquallyOftenAndNoPairTwice) {
  std::vector<Trajectory> episodes;
  for (const char* action : {"a", "b"}) {
    episodes.push_back(episode("t", Outcome::kSuccess, {action}));
  }
  for (const char* action : {"x", "y", "z"}) {
    episodes.push_back(episode("t", Outcome::kFailure, {action}));
  }
  const auto all = build_preference_pairs(episodes, {.max_pairs_per_task = 100}).pairs;
  std::set<std::pair<std::size_t, std::size_t>> distinct;
  for (const PreferencePair& pair : all) {
    distinct.emplace(pair.chosen, pair.rejected);
  }
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(distinct.size(), 6u);
  const auto two = build_preference_pairs(episodes, {.max_pairs_per_task = 2}).pairs;
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0].chosen, two[1].chosen);
  EXPECT_NE(two[0].rejected, two[1].rejected);
}

TEST(BuildPreferencePairs, CountEpisodesThatPartInAnObservation) {
  std::vector<Trajectory> episodes = {episode("t", Outcome::kSuccess, {"a", "b"}),
                                      episode("t", Outcome::kFailure, {"a", "c"})};
  episodes[1].steps[1].observation.text = "another world";
  const PreferencePairs built = build_preference_pairs(episodes, {});
  EXPECT_TRUE(built.pairs.empty());
  EXPECT_EQ(built.incomparable, 1u);
  EXPECT_EQ(built.tasks_without_pair, 1u);
}

TEST(BuildPreferencePairs, KeepWorldsOfDifferentSeedsApart) {
  std::vector<Trajectory> episodes = {episode("t", Outcome::kSuccess, {"a"}),
                                      episode("t", Outcome::kFailure, {"b"})};
  episodes[1].task.seed = 5;
  EXPECT_TRUE(build_preference_pairs(episodes, {}).pairs.empty());
}

TEST(BuildPreferencePairs, RefuseALimitOfZero) {
  EXPECT_THROW((void)build_preference_pairs({}, {.max_pairs_per_task = 0}), Error);
}

}  // namespace
}  // namespace dreamgym
