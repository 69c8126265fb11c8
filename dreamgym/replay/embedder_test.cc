#include "dreamgym/replay/embedder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<double>(a[i]) * b[i];
  }
  return sum;
}

TEST(HashedNgramEmbedder, GivesUnitVectorsOfItsDimension) {
  for (const std::size_t dimension : {16U, 100U, 256U}) {
    const HashedNgramEmbedder embedder({.dimension = dimension});
    for (const std::string text : {"a", "You arrive at desk 1.", "\xc3\xa9\xff\n\n x"}) {
      const auto vector = embedder.embed(text);
      ASSERT_EQ(vector.size(), dimension);
      EXPECT_NEAR(dot(vector, vector), 1.0, 1e-5);
      const auto pair = embedder.embed_pair(text, "go to desk 1");
      EXPECT_NEAR(dot(pair, pair), 1.0, 1e-5);
    }
  }
}

TEST(HashedNgramEmbedder, GivesZeroForATextOfBlanks) {
  const HashedNgramEmbedder embedder;
  EXPECT_EQ(embedder.embed(" \n\t"), std::vector<float>(256, 0.0F));
  EXPECT_EQ(embedder.embed(""), std::vector<float>(256, 0.0F));
}

TEST(HashedNgramEmbedder, IgnoresCaseAndRunsOfBlanks) {
  const HashedNgramEmbedder embedder;
  EXPECT_EQ(embedder.embed("Open  the\nFridge 1 "), embedder.embed("open the fridge 1"));
}

TEST(HashedNgramEmbedder, StaysTheSameFromBuildToBuild) {
  const HashedNgramEmbedder embedder({.dimension = 16});
  const auto vector = embedder.embed("go to desk 1");
  double weighted = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    weighted += static_cast<double>(i + 1) * vector[i];
  }
  EXPECT_NEAR(weighted, -3.42425, 1e-4);
}

TEST(HashedNgramEmbedder, FindsSimilarTextsMoreAlike) {
  const HashedNgramEmbedder embedder;
  const auto query = embedder.embed("take mug 1 from desk 2");
  EXPECT_GT(dot(query, embedder.embed("take mug 2 from desk 2")),
            dot(query, embedder.embed("take pen 3 from shelf 1")));
  EXPECT_GT(dot(query, embedder.embed("take pen 3 from shelf 1")),
            dot(query, embedder.embed("heat potato with microwave")));
}

TEST(HashedNgramEmbedder, WeighsActionAgainstStateByItsShare) {
  const HashedNgramEmbedder embedder({.dimension = 4096, .action_share = 0.75});
  const std::string here = "You are in the middle of a room.";
  const std::string there = "Xylophones zigzag quickly, judge whips fjord";
  const auto query = embedder.embed_pair(here, "open fridge 1");
  EXPECT_NEAR(dot(query, embedder.embed_pair(there, "open fridge 1")), 0.75, 0.08);
  EXPECT_NEAR(dot(query, embedder.embed_pair(here, "zap bumblebee")), 0.25, 0.08);
}

TEST(HashedNgramEmbedder, DoesNotTakeAStateForAnAction) {
  const HashedNgramEmbedder embedder({.dimension = 4096});
  EXPECT_NEAR(
      dot(embedder.embed_pair("open fridge 1", ""), embedder.embed_pair("", "open fridge 1")),
      0.0,
      0.1);
}

TEST(HashedNgramEmbedder, RefusesOptionsOutsideTheirRange) {
  EXPECT_THROW(HashedNgramEmbedder({.dimension = 8}), Error);
  EXPECT_THROW(HashedNgramEmbedder({.dimension = 256, .action_share = 1.5}), Error);
}

TEST(Embedder, NamesItsFunction) {
  EXPECT_NE(HashedNgramEmbedder().name(), HashedNgramEmbedder({.dimension = 512}).name());
  EXPECT_NE(HashedNgramEmbedder().name(), HashedNgramEmbedder({.action_share = 0.9}).name());
}

}  // namespace
}  // namespace dreamgym
