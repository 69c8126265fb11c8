#include "dreamgym/train/dynamic_sampling.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

using Groups = std::vector<std::vector<double>>;
using Indices = std::vector<std::size_t>;

const Groups kGroups = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
constexpr DynamicSamplingConfig kOn = {.enabled = true, .max_rounds = 3};

TEST(SelectGroups, KeepsThoseThatTeachAndAsksForMore) {
  const auto selected = select_groups(kGroups, 0, 4, 0, kOn);
  EXPECT_EQ(selected.kept, (Indices{1, 3}));
  EXPECT_TRUE(selected.sample_again);
  EXPECT_DOUBLE_EQ(selected.equal_share, 0.5);
}

TEST(SelectGroups, StopsWhenItHasWhatTheUpdateWants) {
  const auto selected = select_groups(kGroups, 3, 4, 1, kOn);
  EXPECT_EQ(selected.kept, (Indices{1}));
  EXPECT_FALSE(selected.sample_again);
}

TEST(SelectGroups, FillsUpWithEqualGroupsInTheLastRoundInsteadOfGivingUp) {
  const auto selected = select_groups(kGroups, 1, 4, 2, kOn);
  EXPECT_EQ(selected.kept, (Indices{1, 3, 0}));
  EXPECT_FALSE(selected.sample_again);
}

TEST(SelectGroups, KeepsEverythingInOrderWhenSwitchedOff) {
  const auto selected = select_groups(kGroups, 0, 4, 0, {});
  EXPECT_EQ(selected.kept, (Indices{0, 1, 2, 3}));
  EXPECT_FALSE(selected.sample_again);
  EXPECT_DOUBLE_EQ(selected.equal_share, 0.5);
}

TEST(SelectGroups, TakesAGroupOfOneForOneThatTeachesNothing) {
  EXPECT_EQ(select_groups(Groups{{1}, {}, {0, 1}}, 0, 3, 0, kOn).kept, (Indices{2}));
}

TEST(SelectGroups, RefusesBadNumbers) {
  const Groups bad = {{0, 1}, {0, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_TRUE(contains(message_of([&] { return select_groups(bad, 0, 2, 0, kOn); }), "group 1"));
  EXPECT_TRUE(contains(message_of([] {
                         return select_groups(kGroups, 0, 4, 0, {.enabled = true, .max_rounds = 0});
                       }),
                       "max_rounds"));
}

}  // namespace
}  // namespace dreamgym
