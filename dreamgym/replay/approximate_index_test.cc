#include "dreamgym/replay/approximate_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr std::size_t kDimension = 32;

// Unit vectors around a few centres, as texts of a world are.
std::vector<float> clustered(std::size_t count, std::uint64_t seed) {
  Rng centre_rng(1);
  std::vector<std::vector<double>> centres(40, std::vector<double>(kDimension));
  for (auto& centre : centres) {
    for (double& x : centre) {
      x = centre_rng.normal();
    }
  }
  Rng rng(seed);
  std::vector<float> vectors;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> vector = rng.choose(centres);
    double squares = 0;
    for (double& x : vector) {
      x += 0.7 * rng.normal();
      squares += x * x;
    }
    for (const double x : vector) {
      vectors.push_back(static_cast<float>(x / std::sqrt(squares)));
    }
  }
  return vectors;
}

std::span<const float> row(const std::vector<float>& vectors, std::size_t i) {
  return std::span(vectors).subspan(i * kDimension, kDimension);
}

ApproximateIndexOptions small() {
  return {.links = 16, .build_effort = 60, .search_effort = 60, .cells = 16, .searched_cells = 8, .first_build = 300};
}

// Share of the exact neighbours that were found.
double recall(const VectorIndex& index, const VectorIndex& exact, const VectorIndex::Accept& accept = {}) {
  const auto queries = clustered(50, 77);
  const auto found = index.search(queries, 8, accept, 1);
  const auto truth = exact.search(queries, 8, accept, 1);
  double hits = 0;
  double all = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    std::set<VectorIndex::Key> keys;
    for (const auto& neighbour : found[q]) {
      keys.insert(neighbour.key);
    }
    for (const auto& neighbour : truth[q]) {
      hits += keys.contains(neighbour.key) ? 1 : 0;
      all += 1;
    }
  }
  return hits / all;
}

class ApproximateIndexOf : public ::testing::TestWithParam<IndexKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ApproximateIndexOf, ::testing::Values(IndexKind::kHnsw, IndexKind::kIvf),
                         [](const auto& kind) { return std::string(index_kind_name(kind.param)); });

TEST_P(ApproximateIndexOf, FindsNearlyWhatExactSearchFinds) {
  ApproximateIndex index(GetParam(), kDimension, small());
  const auto exact = make_flat_index(kDimension);
  const auto vectors = clustered(3000, 5);
  for (std::size_t i = 0; i < 3000; ++i) {
    index.add(i, i % 2500, row(vectors, i));  // some groups have two members
    exact->add(i, i % 2500, row(vectors, i));
  }
  EXPECT_EQ(index.size(), 3000U);
  EXPECT_GE(recall(index, *exact), 0.97);
  EXPECT_GE(recall(index, *exact, [](std::size_t, VectorIndex::Key key) { return key % 7 == 0; }), 0.97)
      << "a filter is applied before the k are counted";
  for (std::size_t i = 0; i < 3000; ++i) {
    if (i % 3 != 0) {
      index.remove(i);  // two in three: the structure is built anew on the way
      exact->remove(i);
    }
  }
  EXPECT_EQ(index.size(), 1000U);
  EXPECT_GE(recall(index, *exact), 0.97);
  index.remove(123'456);
  EXPECT_EQ(index.size(), 1000U);
}

TEST_P(ApproximateIndexOf, IsExactWhileThereIsLittle) {
  ApproximateIndex index(GetParam(), kDimension, small());
  const auto exact = make_flat_index(kDimension);
  const auto vectors = clustered(200, 5);
  for (std::size_t i = 0; i < 200; ++i) {
    index.add(i, i, row(vectors, i));
    exact->add(i, i, row(vectors, i));
  }
  const auto queries = clustered(20, 8);
  EXPECT_EQ(index.search(queries, 5, {}, 2), exact->search(queries, 5, {}, 1));
  EXPECT_TRUE(index.search(queries, 0, {}, 1)[0].empty());
  EXPECT_THROW(index.add(7, 7, row(vectors, 7)), LogicError);
  EXPECT_THROW(index.add(900, 7, std::vector<float>(kDimension, std::nanf(""))), Error);
}

TEST_P(ApproximateIndexOf, DoesNotDependOnBatchOrThreadsAndComesBackFromDisk) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "index";
  ApproximateIndex index(GetParam(), kDimension, small());
  const auto vectors = clustered(1500, 5);
  for (std::size_t i = 0; i < 1500; ++i) {
    index.add(IndexedRow{.key = i, .group = i, .content = i * 31}, row(vectors, i));
  }
  index.remove(3);
  index.save(file, "embedder-a");
  const auto queries = clustered(30, 9);
  const auto together = index.search(queries, 8, {}, 1);
  EXPECT_EQ(index.search(queries, 8, {}, 4), together);
  EXPECT_EQ(index.search(std::span(queries).first(kDimension), 8, {}, 1)[0], together[0]);
  const auto again = ApproximateIndex::load(file, "embedder-a", GetParam(), kDimension, small());
  EXPECT_EQ(again->size(), 1499U);
  EXPECT_EQ(again->search(queries, 8, {}, 1), together);
  for (const IndexedRow& stored : again->rows()) {
    EXPECT_EQ(stored.content, stored.key * 31);
  }
}

TEST_P(ApproximateIndexOf, NamesBothWhenTheFileIsOfAnother) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "index";
  ApproximateIndex index(GetParam(), kDimension, small());
  const auto vectors = clustered(400, 5);
  for (std::size_t i = 0; i < 400; ++i) {
    index.add(i, i, row(vectors, i));
  }
  index.save(file, "embedder-a");
  try {
    (void)ApproximateIndex::load(file, "embedder-b", GetParam(), 64, small());
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
    const std::string text = error.what();
    EXPECT_NE(text.find("embedder-a (32 dimensions"), std::string::npos) << text;
    EXPECT_NE(text.find("embedder-b (64 dimensions"), std::string::npos) << text;
  }
}

TEST_P(ApproximateIndexOf, NoticesEveryKindOfDamage) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "index";
  ApproximateIndex index(GetParam(), kDimension, small());
  const auto vectors = clustered(700, 5);
  for (std::size_t i = 0; i < 700; ++i) {
    index.add(i, i, row(vectors, i));
  }
  index.save(file, "e");
  const std::string good = read_file(file);
  const auto load = [&](const std::string& bytes) {
    write_file(file, bytes);
    return ApproximateIndex::load(file, "e", GetParam(), kDimension, small());
  };
  EXPECT_EQ(load(good)->size(), 700U);
  Rng rng(3);
  for (int i = 0; i < 60; ++i) {
    std::string bad = good;
    const std::size_t at = rng.below(bad.size());
    if (i % 3 == 0) {
      bad.resize(at);
    } else {
      bad[at] ^= static_cast<char>(1U << rng.below(8));
    }
    EXPECT_THROW((void)load(bad), Error) << (i % 3 == 0 ? "cut at " : "changed at ") << at << " of " << good.size();
  }
  EXPECT_THROW((void)load(""), Error);
  EXPECT_THROW((void)ApproximateIndex::load(folder.path() / "none", "e", GetParam(), kDimension, small()), Error);
}

TEST(IndexKindNamed, NamesTheKnownOnes) {
  EXPECT_EQ(index_kind_named("hnsw"), IndexKind::kHnsw);
  EXPECT_THROW((void)index_kind_named("annoy"), Error);
  EXPECT_THROW(ApproximateIndex(IndexKind::kHnsw, 8, {.links = 0}), Error);
}

}  // namespace
}  // namespace dreamgym
