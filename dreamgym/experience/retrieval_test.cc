#include "dreamgym/experience/retrieval.h"

#include <set>

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

ReplayHit hit(const std::string& id, double similarity, bool same_place = false) {
  auto record = std::make_shared<StoredTransition>();
  record->id = id;
  return {record, similarity, same_place};
}

std::vector<std::string> ids(const std::vector<ReplayHit>& hits) {
  std::vector<std::string> out;
  for (const ReplayHit& one : hits) {
    out.push_back(one.record->id);
  }
  return out;
}

TEST(SearchOptions, AreThoseOfTheSection) {
  const SearchOptions open = search_options(4, {});
  EXPECT_EQ(open.k, 4U);
  EXPECT_TRUE(open.include_dreamed);
  EXPECT_FALSE(open.most_dreamed.has_value());
  const SearchOptions narrow = search_options(4, {.most_dreamed = 1, .diversity = 0.3});
  EXPECT_EQ(narrow.most_dreamed, 1U);
  EXPECT_EQ(narrow.diversity, 0.3);
  EXPECT_FALSE(search_options(4, {.most_dreamed = 0}).include_dreamed);
  EXPECT_EQ(pool_options(4, {}).k, 4U);
  EXPECT_GT(pool_options(4, {}).pool, 4U);
  EXPECT_EQ(pool_options(4, {.alike = 0}).pool, 0U);
  EXPECT_EQ(pool_options(4, {.diversity = 0.5}).pool, 0U) << "diversity chooses itself";
}

TEST(DrawnAlike, DrawsAmongEqualsByItsStream) {
  const std::vector<ReplayHit> pool = {hit("a", 1), hit("b", 1), hit("c", 0.995), hit("d", 0.5)};
  std::set<std::string> shown;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto one = drawn_alike(pool, 1, 0.02, Rng(seed));
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(ids(one), ids(drawn_alike(pool, 1, 0.02, Rng(seed))));
    shown.insert(one.front().record->id);
  }
  EXPECT_EQ(shown, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(ids(drawn_alike(pool, 1, 0, Rng(1))).size(), 1U);
  const auto three = ids(drawn_alike(pool, 4, 0.02, Rng(1)));
  EXPECT_EQ(std::set<std::string>(three.begin(), three.end()).size(), 4U) << "each once";
  EXPECT_EQ(three.back(), "d") << "the least alike last";
}

TEST(DrawnAlike, KeepsWhatIsKnownOfThePlaceFirst) {
  const std::vector<ReplayHit> pool = {hit("a", 1, true), hit("b", 1), hit("c", 1)};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(ids(drawn_alike(pool, 2, 0.02, Rng(seed))).front(), "a");
  }
  EXPECT_TRUE(drawn_alike({}, 2, 0.02, Rng(1)).empty());
}

}  // namespace
}  // namespace dreamgym
