#include "dreamgym/curriculum/task_value.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Returns = std::vector<double>;

TEST(GroupVariance, IsThePopulationVariance) {
  // p(1 - p) for zeros and ones: 2 of 8 give 12/64.
  EXPECT_DOUBLE_EQ(group_variance(Returns{1, 0, 0, 1, 0, 0, 0, 0}), 12.0 / 64);
  EXPECT_DOUBLE_EQ(group_variance(Returns{1, 0}), 0.25);
  // Mean 2, squared distances 1, 0, 1.
  EXPECT_DOUBLE_EQ(group_variance(Returns{1, 2, 3}), 2.0 / 3);
}

TEST(GroupVariance, IsZeroWhereAllReturnsAreEqual) {
  EXPECT_EQ(group_variance(Returns{1, 1, 1}), 0);
  EXPECT_EQ(group_variance(Returns{0.3}), 0);
}

TEST(GroupVariance, RefusesNothingAndWhatIsNotFinite) {
  EXPECT_THROW((void)group_variance(Returns{}), Error);
  EXPECT_THROW((void)group_variance(Returns{1, std::numeric_limits<double>::infinity()}), Error);
}

TEST(TaskValueTracker, GivesAnUnseenTaskThePriorsValue) {
  EXPECT_DOUBLE_EQ(TaskValueTracker().value("x"), 1.0 / 6);
  // Beta(3, 1): 3 / (4 * 5).
  EXPECT_DOUBLE_EQ(TaskValueTracker({.prior_successes = 3}).value("x"), 3.0 / 20);
  EXPECT_EQ(TaskValueTracker().statistics("x"), std::nullopt);
}

TEST(TaskValueTracker, ExpectsTheVarianceUnderThePosterior) {
  TaskValueTracker tracker;
  tracker.update("x", Returns{1, 1, 0, 0, 0, 0, 0, 0});
  // Beta(3, 7): 21 / (10 * 11).
  EXPECT_DOUBLE_EQ(tracker.value("x"), 21.0 / 110);
  EXPECT_DOUBLE_EQ(tracker.success_probability("x"), 0.3);
  ASSERT_TRUE(tracker.statistics("x").has_value());
  EXPECT_DOUBLE_EQ(tracker.statistics("x")->last_variance, 12.0 / 64);
}

TEST(TaskValueTracker, ForgetsOlderGroupsByItsFactor) {
  TaskValueTracker tracker({.forgetting = 0.5});
  tracker.update("x", Returns{1, 1, 1, 1});
  tracker.update("x", Returns{0, 0, 0, 0});
  // Successes 0.5 * 4, failures 0.5 * 0 + 4: Beta(3, 5), 15 / (8 * 9).
  EXPECT_DOUBLE_EQ(tracker.value("x"), 15.0 / 72);
  tracker.update("x", Returns{0.25, 0.75});
  // Successes 1 + 1, failures 2 + 1: Beta(3, 4), 12 / (7 * 8).
  EXPECT_DOUBLE_EQ(tracker.value("x"), 12.0 / 56);
  EXPECT_EQ(tracker.statistics("x")->num_groups, 3U);
}

TEST(TaskValueTracker, RanksUndecidedTasksBeforeSettledOnes) {
  TaskValueTracker tracker;
  tracker.update("always", Returns{1, 1, 1, 1});
  tracker.update("never", Returns{0, 0, 0, 0});
  tracker.update("often", Returns{1, 1, 1, 0});
  tracker.update("half", Returns{1, 0, 1, 0});
  std::vector<std::string> keys;
  for (const auto& ranked : tracker.ranking()) {
    keys.push_back(ranked.key);
    EXPECT_EQ(ranked.value, tracker.value(ranked.key));
  }
  // Beta(5, 1) and Beta(1, 5) are worth the same: by key.
  EXPECT_EQ(keys, (std::vector<std::string>{"half", "often", "always", "never"}));
}

TEST(TaskValueTracker, IsUnchangedByReturnsItRefuses) {
  TaskValueTracker tracker;
  tracker.update("x", Returns{1, 0});
  const TaskValueTracker before = tracker;
  EXPECT_THROW(tracker.update("x", Returns{1, 1.5}), Error);
  EXPECT_THROW(tracker.update("y", Returns{-0.1}), Error);
  EXPECT_THROW(tracker.update("y", Returns{}), Error);
  EXPECT_EQ(tracker, before);
}

TEST(TaskValueTracker, RefusesOptionsOutsideTheirRange) {
  EXPECT_THROW(TaskValueTracker({.prior_successes = 0}), Error);
  EXPECT_THROW(TaskValueTracker({.forgetting = 1.1}), Error);
}

TEST(TaskValueTracker, ComesBackFromItsTextToTheBit) {
  TaskValueTracker tracker({.prior_successes = 0.1, .prior_failures = 0.2, .forgetting = 0.3});
  for (int i = 0; i < 5; ++i) {
    tracker.update("a", Returns{0.1, 1, 0});
    tracker.update("key with spaces", Returns{1.0 / 3});
  }
  TaskValueTracker copy(0.9);
  copy.update("forgotten", Returns{1});
  copy.restore(tracker.save());
  EXPECT_EQ(copy, tracker);
  copy.update("a", Returns{1});
  tracker.update("a", Returns{1});
  EXPECT_EQ(copy.save(), tracker.save());
  copy.restore(TaskValueTracker().save());
  EXPECT_EQ(copy, TaskValueTracker());
}

TEST(TaskValueTracker, NamesTheLineThatIsBroken) {
  TaskValueTracker tracker;
  tracker.update("a", Returns{1, 0});
  const std::string text = tracker.save();
  const auto message = [&](const std::string& broken) -> std::string {
    TaskValueTracker copy = tracker;
    try {
      copy.restore(broken);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      EXPECT_EQ(copy, tracker);
      return error.what();
    }
    return "no Error";
  };
  EXPECT_NE(message("").find("line 1"), std::string::npos);
  EXPECT_NE(message("task-values 1\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("task-values 1\nx y z 1\n").find("line 2"), std::string::npos);
  // Every cut is noticed.
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(message(text.substr(0, length)), "no Error") << length;
  }
}

}  // namespace
}  // namespace dreamgym
