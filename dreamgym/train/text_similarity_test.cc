#include "dreamgym/train/text_similarity.h"

#include <gtest/gtest.h>

#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

TEST(MatchingRatio, MatchesPythonsSequenceMatcher) {
  for (const auto& golden : golden_numbers("similarity")) {
    const std::string a = golden["a"];
    const std::string b = golden["b"];
    EXPECT_DOUBLE_EQ(matching_ratio(a, b), golden["ratio"].get<double>()) << a << " | " << b;
  }
}

TEST(IsSimilar, AgreesWithTheRatioAtEveryThreshold) {
  for (const auto& golden : golden_numbers("similarity")) {
    for (const double threshold : {0.0, 0.3, 0.5, 0.8, 0.95, 1.0}) {
      EXPECT_EQ(
          is_similar(golden["a"].get<std::string>(), golden["b"].get<std::string>(), threshold),
          golden["ratio"].get<double>() >= threshold)
          << golden << threshold;
    }
  }
}

TEST(IsSimilar, DoesNotMistakeLongPagesForUnlike) {
  // Frequent letters count: difflib's own default finds these two pages unlike.
  std::string page;
  for (int i = 0; i < 40; ++i) {
    page += "a lamp for sale ";
  }
  EXPECT_TRUE(is_similar(page + "red", page + "blue", 0.95));
}

}  // namespace
}  // namespace dreamgym
