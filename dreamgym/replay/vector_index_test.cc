#include "dreamgym/replay/vector_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

using Key = VectorIndex::Key;
using Neighbour = VectorIndex::Neighbour;

// Small whole numbers: their dot products are exact in any order of summation, and ties abound.
std::vector<float> whole_numbers(Rng& rng, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(rng.below(5)) - 2.0F;
  }
  return values;
}

struct Row {
  VectorIndex::Group group = 0;
  std::vector<float> vector;
};

std::vector<Neighbour> brute_force(const std::map<Key, Row>& rows,
                                   std::span<const float> query,
                                   std::size_t k,
                                   const std::function<bool(Key)>& accept) {
  std::vector<Neighbour> all;
  for (const auto& [key, row] : rows) {
    float sum = 0;
    for (std::size_t d = 0; d < query.size(); ++d) {
      sum += query[d] * row.vector[d];
    }
    if (accept(key)) {
      all.push_back({key, sum});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.similarity > b.similarity;
  });
  std::vector<Neighbour> best;
  std::set<VectorIndex::Group> groups;
  for (const auto& neighbour : all) {
    if (best.size() < k && groups.insert(rows.at(neighbour.key).group).second) {
      best.push_back(neighbour);
    }
  }
  return best;
}

TEST(FlatIndex, EqualsBruteForceWhateverIsAddedRemovedAndFiltered) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const std::size_t dimension = 1 + rng.below(40);
    const auto index = make_flat_index(dimension);
    std::map<Key, Row> rows;
    const std::size_t num_rows = rng.below(700);
    const std::size_t num_groups = 1 + rng.below(400);
    for (std::size_t i = 0; i < num_rows; ++i) {
      const Key key = rng.next();
      const Row row{rng.below(num_groups), whole_numbers(rng, dimension)};
      index->add(key, row.group, row.vector);
      rows[key] = row;
      if (rng.below(4) == 0) {
        const Key victim =
            std::next(rows.begin(), static_cast<long>(rng.below(rows.size())))->first;
        index->remove(victim);
        rows.erase(victim);
      }
    }
    ASSERT_EQ(index->size(), rows.size());
    const std::size_t num_queries = 1 + rng.below(20);
    const auto queries = whole_numbers(rng, num_queries * dimension);
    const std::size_t k = rng.below(12);
    const auto accept = [](std::size_t query, Key key) { return (key + query) % 3 != 0; };
    const auto found = index->search(queries, k, accept, 2);
    ASSERT_EQ(found.size(), num_queries);
    for (std::size_t q = 0; q < num_queries; ++q) {
      const auto expected =
          brute_force(rows, std::span(queries).subspan(q * dimension, dimension), k, [&](Key key) {
            return accept(q, key);
          });
      EXPECT_EQ(found[q], expected) << "query " << q;
    }
  }
}

TEST(FlatIndex, ScoresDoNotDependOnBatchThreadsOrPlace) {
  Rng rng(7);
  const auto index = make_flat_index(33);
  std::vector<float> twin(33);
  for (float& x : twin) {
    x = static_cast<float>(rng.normal());
  }
  for (Key key = 0; key < 600; ++key) {
    std::vector<float> vector(33);
    for (float& x : vector) {
      x = static_cast<float>(rng.normal());
    }
    index->add(key, key, key % 97 == 5 ? twin : vector);
  }
  std::vector<float> queries(33 * 70);
  for (float& x : queries) {
    x = static_cast<float>(rng.normal());
  }
  std::copy(twin.begin(), twin.end(), queries.begin() + 33 * 69);
  const auto together = index->search(queries, 7, {}, 1);
  EXPECT_EQ(index->search(queries, 7, {}, 3), together);
  for (std::size_t q = 0; q < 70; ++q) {
    EXPECT_EQ(index->search(std::span(queries).subspan(q * 33, 33), 7, {}, 1)[0], together[q]);
  }
  // The seven copies of the twin are bit for bit equally similar, so they come in key order.
  ASSERT_EQ(together[69].size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(together[69][i].key, 5 + 97 * i);
    EXPECT_EQ(together[69][i].similarity, together[69][0].similarity);
  }
}

TEST(FlatIndex, FindsFewerThanKWhenThereAreNoMore) {
  const auto index = make_flat_index(2);
  const std::vector<float> query = {1, 0};
  EXPECT_TRUE(index->search(query, 3, {}, 1)[0].empty());
  index->add(1, 1, std::vector<float>{-1, 0});
  const std::vector<Neighbour> expected = {{1, -1.0F}};
  EXPECT_EQ(index->search(query, 3, {}, 1)[0], expected);
  EXPECT_TRUE(index->search(query, 0, {}, 1)[0].empty());
  EXPECT_TRUE(index->search({}, 3, {}, 1).empty());
}

TEST(FlatIndex, RefusesWhatIsNoVectorOfIts) {
  const auto index = make_flat_index(2);
  index->add(1, 1, std::vector<float>{1, 0});
  EXPECT_THROW(index->add(1, 1, std::vector<float>{1, 0}), LogicError);
  EXPECT_THROW(index->add(2, 1, std::vector<float>{1}), LogicError);
  EXPECT_THROW(index->add(3, 1, std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}),
               Error);
  EXPECT_THROW((void)index->search(std::vector<float>{1}, 1, {}, 1), LogicError);
  EXPECT_EQ(index->size(), 1U);
  index->remove(99);
  EXPECT_EQ(index->size(), 1U);
}

}  // namespace
}  // namespace dreamgym
