#include "dreamgym/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr std::size_t kBuckets = 16;
// 99.9% quantile of chi-square with 15 degrees of freedom. The seeds are fixed, so a test either
// always passes or always fails.
constexpr double kChiSquareLimit = 37.70;

double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  return sum;
}

double chi_square_uniform(const std::vector<double>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  return chi_square(counts,
                    std::vector<double>(counts.size(), total / static_cast<double>(counts.size())));
}

// Streams are part of what a seed means: runs recorded with it must stay reproducible.
TEST(Rng, FirstValuesNeverChange) {
  Rng rng(42);
  EXPECT_EQ(rng.next(), 0xccf7d1667ea41d4dULL);
  EXPECT_EQ(rng.next(), 0xda9e4b397e1a2212ULL);
  Rng fork = Rng(42).fork("episode", 3);
  EXPECT_EQ(fork.next(), 0x302789cd2ba7a315ULL);
  EXPECT_EQ(fork.below(1000), 714U);
  EXPECT_DOUBLE_EQ(fork.uniform(), 0.63652879199484458);
  EXPECT_NEAR(fork.normal(), -0.46855277757245539, 1e-12);
}

TEST(Rng, ForkDoesNotDependOnHowMuchTheParentHasDrawn) {
  Rng parent(7);
  Rng before = parent.fork("worker", 2);
  for (int i = 0; i < 100; ++i) {
    parent.next();
  }
  Rng after = parent.fork("worker", 2);
  EXPECT_EQ(before.state(), after.state());
  EXPECT_EQ(before.next(), after.next());
}

TEST(Rng, ForkLeavesTheParentAlone) {
  Rng forked(7);
  static_cast<void>(forked.fork("worker"));
  EXPECT_EQ(forked.next(), Rng(7).next());
}

TEST(Rng, ForksByNameIndexAndPathAllDiffer) {
  const Rng parent(7);
  std::set<std::uint64_t> keys{parent.state().key};
  std::size_t num_forks = 1;
  for (const char* name : {"", "a", "b", "ab", "ba", "episode"}) {
    for (std::uint64_t index = 0; index < 200; ++index) {
      keys.insert(parent.fork(name, index).state().key);
      keys.insert(parent.fork("outer").fork(name, index).state().key);
      num_forks += 2;
    }
  }
  EXPECT_EQ(keys.size(), num_forks);
}

TEST(Rng, StreamsOfNeighbouringForksAreIndependent) {
  const Rng parent(11);
  std::vector<double> counts(kBuckets, 0);
  for (std::uint64_t index = 0; index < 16000; ++index) {
    Rng one = parent.fork("episode", index);
    Rng two = parent.fork("episode", index + 1);
    // Joint distribution of both first draws, 4 x 4 cells.
    ++counts[one.below(4) * 4 + two.below(4)];
  }
  EXPECT_LT(chi_square_uniform(counts), kChiSquareLimit);
}

TEST(Rng, UniformIsUniformAndStaysBelowOne) {
  Rng rng(1);
  std::vector<double> counts(kBuckets, 0);
  for (int i = 0; i < 32000; ++i) {
    const double draw = rng.uniform();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    ++counts[static_cast<std::size_t>(draw * kBuckets)];
  }
  EXPECT_LT(chi_square_uniform(counts), kChiSquareLimit);
}

TEST(Rng, BelowIsUniformWithinItsBound) {
  Rng rng(2);
  std::vector<double> counts(kBuckets, 0);
  for (int i = 0; i < 32000; ++i) {
    const std::uint64_t draw = rng.below(kBuckets);
    ASSERT_LT(draw, kBuckets);
    ++counts[draw];
  }
  EXPECT_LT(chi_square_uniform(counts), kChiSquareLimit);
}

TEST(Rng, BelowIsUnbiasedForBoundsNearTheWholeRange) {
  // Two thirds of 2^64: without rejection the lower half would be drawn twice as often.
  const std::uint64_t bound = 0xaaaaaaaaaaaaaaaaULL;
  Rng rng(3);
  std::vector<double> counts(2, 0);
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t draw = rng.below(bound);
    ASSERT_LT(draw, bound);
    ++counts[draw < bound / 2 ? 0 : 1];
  }
  EXPECT_LT(chi_square_uniform(counts), 10.83);  // 99.9%, one degree of freedom
}

TEST(Rng, BelowTakesItsExtremeBounds) {
  Rng rng(4);
  EXPECT_EQ(rng.below(1), 0U);
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_LT(rng.below(largest), largest);
  EXPECT_THROW(rng.below(0), LogicError);
}

TEST(Rng, NormalHasMeanZeroVarianceOneAndNormalTails) {
  Rng rng(5);
  constexpr int kDraws = 40000;
  double sum = 0;
  double sum_of_squares = 0;
  int num_beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.normal();
    ASSERT_TRUE(std::isfinite(draw));
    sum += draw;
    sum_of_squares += draw * draw;
    num_beyond_two += std::abs(draw) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(sum_of_squares / kDraws, 1.0, 0.03);
  EXPECT_NEAR(static_cast<double>(num_beyond_two) / kDraws, 0.0455, 0.004);
}

TEST(Rng, CategoricalFollowsItsWeights) {
  Rng rng(6);
  const std::vector<double> weights = {1, 0, 2, 0.5, 4.5};
  std::vector<double> counts(weights.size(), 0);
  for (int i = 0; i < 16000; ++i) {
    ++counts[rng.categorical(weights)];
  }
  EXPECT_EQ(counts[1], 0);
  EXPECT_LT(chi_square({counts[0], counts[2], counts[3], counts[4]}, {2000, 4000, 1000, 9000}),
            16.27);  // 99.9%, three degrees of freedom
}

TEST(Rng, CategoricalNeverDrawsAZeroWeightAtTheEnd) {
  Rng rng(7);
  const std::array<double, 3> weights = {0, 1e-300, 0};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(rng.categorical(weights), 1U);
  }
}

TEST(Rng, CategoricalRefusesWeightsItCantDrawFrom) {
  Rng rng(8);
  EXPECT_THROW(rng.categorical({}), LogicError);
  EXPECT_THROW(rng.categorical(std::array{0.0, 0.0}), LogicError);
  EXPECT_THROW(rng.categorical(std::array{1.0, -1.0}), LogicError);
  EXPECT_THROW(rng.categorical(std::array{1.0, std::nan("")}), LogicError);
  EXPECT_THROW(rng.categorical(std::array{1.0, std::numeric_limits<double>::infinity()}),
               LogicError);
}

TEST(Rng, ShuffleMakesEveryOrderEquallyLikely) {
  Rng rng(9);
  std::vector<double> counts(6, 0);
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items = {0, 1, 2};
    rng.shuffle(items);
    const std::size_t swapped = items[1] > items[2] ? 1 : 0;
    ++counts[static_cast<std::size_t>(items[0]) * 2 + swapped];
  }
  EXPECT_LT(chi_square_uniform(counts), 20.52);  // 99.9%, five degrees of freedom
}

TEST(Rng, ChooseReachesEveryItem) {
  Rng rng(10);
  const std::vector<int> items = {3, 5, 8};
  std::set<int> chosen;
  for (int i = 0; i < 100; ++i) {
    chosen.insert(rng.choose(items));
  }
  EXPECT_EQ(chosen, std::set<int>(items.begin(), items.end()));
}

TEST(Rng, GoesOnFromItsSavedState) {
  Rng rng(11);
  rng.normal();
  rng.next();
  Rng restored(rng.state());
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(restored.next(), rng.next());
  }
}

}  // namespace
}  // namespace dreamgym
