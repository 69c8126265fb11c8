#include "dreamgym/train/grouped_advantages.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "dreamgym/train/advantages.h"
#include "tests/error_message.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

GroupEstimator estimator_from(const std::string& name) {
  return name == "grpo"   ? GroupEstimator::kGrpo
         : name == "rloo" ? GroupEstimator::kRloo
                          : GroupEstimator::kDrGrpo;
}

TEST(GroupedAdvantages, MatchTheReferenceForEveryEstimatorAndCounting) {
  for (const auto& golden : golden_numbers("advantages")) {
    std::vector<GroupSample> samples;
    for (const auto& row : golden["rows"]) {
      samples.push_back({row["group"], row["episode"], row["score"]});
    }
    const auto ours = grouped_advantages(samples,
                                         {.estimator = estimator_from(golden["estimator"]),
                                          .count_every_sample = golden["every_sample"],
                                          .keep_singletons = golden["keep_singletons"]});
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& expected = golden["advantages"][i];
      EXPECT_EQ(ours.used[i], !expected.is_null()) << golden << i;
      expect_close(ours.advantages[i], expected.is_null() ? 0.0 : expected.get<double>(), "sample");
    }
  }
}

TEST(GroupedAdvantages, EqualTheGroupFunctionWhateverTheOrder) {
  const std::vector<GroupSample> samples = {
      {7, 1, 1.0}, {3, 2, 0.0}, {7, 3, 0.0}, {3, 4, 0.5}, {7, 5, 0.0}};
  const auto ours = grouped_advantages(samples, {});
  const auto sevens = group_advantages(std::vector<double>{1, 0, 0});
  const auto threes = group_advantages(std::vector<double>{0, 0.5});
  EXPECT_EQ(ours.advantages,
            (std::vector<double>{sevens[0], threes[0], sevens[1], threes[1], sevens[2]}));
  EXPECT_EQ(ours.num_groups, 2u);
}

TEST(GroupedAdvantages, CountLongEpisodesOnceUnlessAskedTo) {
  // Episode 1 has three steps. Each once: mean 0.5. Each step: mean 0.75.
  const std::vector<GroupSample> samples = {{1, 1, 1.0}, {1, 1, 1.0}, {1, 1, 1.0}, {1, 2, 0.0}};
  const GroupAdvantageConfig once = {.estimator = GroupEstimator::kDrGrpo};
  const GroupAdvantageConfig steps = {.estimator = GroupEstimator::kDrGrpo,
                                      .count_every_sample = true};
  EXPECT_DOUBLE_EQ(grouped_advantages(samples, once).advantages[0], 0.5);
  EXPECT_DOUBLE_EQ(grouped_advantages(samples, steps).advantages[0], 0.25);
}

TEST(GroupedAdvantages, LeaveASingletonOutUnlessVerlsRuleIsAskedFor) {
  const std::vector<GroupSample> samples = {{1, 1, 2.5}, {2, 2, 1.0}, {2, 3, 1.0}};
  const auto left_out = grouped_advantages(samples, {});
  EXPECT_EQ(left_out.used, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(left_out.advantages, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(left_out.singleton_groups, 1u);
  EXPECT_EQ(left_out.equal_groups, 1u);
  EXPECT_EQ(grouped_advantages(samples, {.keep_singletons = true}).advantages[0], 2.5);
}

TEST(GroupedAdvantages, RefuseAScoreThatIsNotFinite) {
  const std::vector<GroupSample> samples = {{1, 1, 0.0},
                                            {1, 2, std::numeric_limits<double>::infinity()}};
  EXPECT_TRUE(
      contains(message_of([&] { return grouped_advantages(samples, {}); }), "value 2 of 2 is inf"));
}

TEST(RequireWholeGroups, NamesTheGroupThatIsNotCovered) {
  const std::vector<GroupSample> samples = {{4, 1, 0}, {4, 2, 0}, {9, 3, 0}, {4, 1, 0}};
  const std::string message = message_of([&] {
    require_whole_groups(samples, 2);
    return 0;
  });
  EXPECT_TRUE(contains(message, "group 9 holds 1 episode(s), expected group_size = 2")) << message;
  EXPECT_NO_THROW(require_whole_groups(std::span(samples).first(2), 2));
}

}  // namespace
}  // namespace dreamgym
