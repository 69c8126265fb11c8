#include "dreamgym/train/loss_aggregation.h"

#include <gtest/gtest.h>

#include <vector>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

using enum LossAggregation;

TEST(CountBatch, LeavesFullyMaskedSequencesOut) {
  const BatchCounts counts = count_batch(std::vector<std::size_t>{3, 0, 5});
  EXPECT_EQ(counts.tokens, 8u);
  EXPECT_EQ(counts.sequences, 2u);
}

TEST(CountBatch, AddsOverTheWorkersOfABatch) {
  const BatchCounts whole = count_batch(std::vector<std::size_t>{3, 1, 5, 2});
  const BatchCounts sum =
      count_batch(std::vector<std::size_t>{3, 1}) + count_batch(std::vector<std::size_t>{5, 2});
  EXPECT_EQ(sum.tokens, whole.tokens);
  EXPECT_EQ(sum.sequences, whole.sequences);
}

TEST(LossDivisor, MatchesItsFormulas) {
  const BatchCounts whole = {.tokens = 10, .sequences = 4};
  EXPECT_DOUBLE_EQ(loss_divisor(kTokenMean, 5, whole), 10);
  EXPECT_DOUBLE_EQ(loss_divisor(kSequenceMeanOfTokenSum, 5, whole), 4);
  EXPECT_DOUBLE_EQ(loss_divisor(kSequenceMeanOfTokenMean, 5, whole), 20);
  EXPECT_DOUBLE_EQ(loss_divisor(kTokenSumOverConstant, 5, whole, 64), 64);
}

TEST(LossDivisor, OfMeansMakesWeightsThatSumToOne) {
  const std::vector<std::size_t> lengths = {1, 4, 2, 7};
  const BatchCounts whole = count_batch(lengths);
  for (const LossAggregation mean : {kTokenMean, kSequenceMeanOfTokenMean}) {
    double sum = 0;
    for (const std::size_t length : lengths) {
      sum += static_cast<double>(length) / loss_divisor(mean, length, whole);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(LossDivisor, RefusesCountsOfAMicroBatchThatDoNotCoverTheSequence) {
  const std::string message =
      message_of([] { return loss_divisor(kTokenMean, 5, {.tokens = 3, .sequences = 1}); });
  EXPECT_TRUE(contains(message, "do not cover a sequence of 5 token(s)")) << message;
  EXPECT_TRUE(contains(message, "whole batch")) << message;
}

TEST(LossDivisor, RefusesAConstantThatIsNotPositive) {
  const std::string message = message_of(
      [] { return loss_divisor(kTokenSumOverConstant, 1, {.tokens = 3, .sequences = 1}, 0); });
  EXPECT_TRUE(contains(message, "seq-mean-token-sum-norm is 0")) << message;
}

}  // namespace
}  // namespace dreamgym
