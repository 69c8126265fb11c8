#include "dreamgym/eval/calibration.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

// Right with the probability `truth(confidence)`.
template <class Truth>
std::vector<ConfidentAnswer> answers(std::size_t count, const Truth& truth) {
  Rng rng(3);
  std::vector<ConfidentAnswer> all(count);
  for (ConfidentAnswer& answer : all) {
    answer.confidence = rng.uniform();
    answer.right = rng.uniform() < truth(answer.confidence);
  }
  return all;
}

TEST(MeasureCalibration, IsSmallForHonestAndLargeForProudAnswers) {
  EXPECT_LT(measure_calibration(answers(20'000, [](double c) { return c; })).expected_error, 0.02);
  const auto proud = measure_calibration(answers(20'000, [](double c) { return c * c; }));
  EXPECT_NEAR(proud.expected_error, 1.0 / 2 - 1.0 / 3, 0.02);
}

TEST(MeasureCalibration, IsExactOnACaseByHand) {
  const std::vector<ConfidentAnswer> all = {{0.95, true}, {0.91, false}, {0.2, false}, {1.0, true}};
  const auto result = measure_calibration(all, 2);
  EXPECT_EQ(result.bins[0].count, 1U);
  EXPECT_EQ(result.bins[1].count, 3U);
  EXPECT_NEAR(result.bins[1].share_right, 2.0 / 3, 1e-12);
  EXPECT_NEAR(result.expected_error, 0.25 * 0.2 + 0.75 * ((0.95 + 0.91 + 1.0) / 3 - 2.0 / 3), 1e-12);
  EXPECT_NEAR(result.brier, (0.0025 + 0.8281 + 0.04) / 4, 1e-12);
  EXPECT_EQ(measure_calibration({}).expected_error, 0);
  const std::vector<ConfidentAnswer> bad = {{1.5, true}};
  EXPECT_THROW((void)measure_calibration(bad), Error);
}

TEST(CrossCalibrated, MakesProudAnswersHonest) {
  const auto proud = answers(20'000, [](double c) { return c * c; });
  EXPECT_LT(measure_calibration(cross_calibrated(proud)).expected_error, 0.03);
}

}  // namespace
}  // namespace dreamgym
