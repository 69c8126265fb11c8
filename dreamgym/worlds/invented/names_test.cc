#include "dreamgym/worlds/invented/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::invented {
namespace {

TEST(NamePool, HoldsDistinctLowerCaseNamesThatDifferInTwoLetters) {
  const NamePool pool(200);
  const std::vector<std::string>& names = pool.names();
  ASSERT_EQ(names.size(), 200U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(std::ranges::all_of(names[i], [](char c) { return c >= 'a' && c <= 'z'; }));
    EXPECT_GE(names[i].size(), 5U);
    EXPECT_LE(names[i].size(), 7U);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(edit_distance(names[i], names[j]), 2U) << names[i] << " " << names[j];
    }
  }
}

TEST(NamePool, IsTheBeginningOfEveryLargerPool) {
  const NamePool small(64);
  const NamePool large(128);
  EXPECT_TRUE(std::ranges::equal(small.names().begin(),
                                 small.names().end(),
                                 large.names().begin(),
                                 large.names().begin() + 64));
}

TEST(NamePool, NeverChangesItsFirstNames) {
  // Shipped weights know the names by their tokens.
  EXPECT_EQ(NamePool(64).names().front(), "zazug");
  EXPECT_EQ(NamePool(64).names().back(), "dazdik");
}

TEST(NamePool, RefusesImpossibleSizes) {
  EXPECT_THROW(NamePool(3), Error);
  EXPECT_THROW(NamePool(1'000'000), Error);
}

TEST(NameDeal, NeverRepeatsANameUntilThePoolIsEmpty) {
  const NamePool pool(64);
  NameDeal deal(pool, Rng(1));
  const std::vector<std::string> dealt = deal.next(64);
  EXPECT_EQ(std::set(dealt.begin(), dealt.end()).size(), 64U);
  EXPECT_THROW(deal.next(), LogicError);
}

TEST(NameDeal, GivesTheSameRoleOtherNamesWithOtherStreams) {
  const NamePool pool(64);
  std::set<std::string> first_names;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    first_names.insert(NameDeal(pool, Rng(seed)).next());
  }
  EXPECT_GT(first_names.size(), 55U);
}

}  // namespace
}  // namespace dreamgym::invented
