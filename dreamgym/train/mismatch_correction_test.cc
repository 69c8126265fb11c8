#include "dreamgym/train/mismatch_correction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

TEST(MismatchWeights, MatchTheReference) {
  for (const auto& golden : golden_numbers("mismatch")) {
    const auto trainer = list_of<double>(golden["trainer"]);
    const auto engine = list_of<double>(golden["engine"]);
    const auto weights = [&](const MismatchConfig& config) {
      return mismatch_weights(trainer, engine, config);
    };
    expect_close(weights(truncated_importance_sampling()), golden["token_truncated"], "TIS");
    expect_close(weights(sequence_masked_importance_sampling()), golden["sequence_masked"], "TRL");
    expect_close(weights(token_gate()), golden["token_gate"], "token gate");
    expect_close(weights(geometric_gate()), golden["geometric_gate"], "geometric gate");
  }
}

TEST(MismatchWeights, TakeTheGeometricMeanOfASequence) {
  const std::vector<double> trainer = {-1.0, -1.0};
  const std::vector<double> engine = {-1.0, -1.0 - std::log(4.0)};
  MismatchConfig config = truncated_importance_sampling(10.0);
  config.weight = RatioLevel::kSequenceGeometric;
  for (const double weight : mismatch_weights(trainer, engine, config)) {
    EXPECT_DOUBLE_EQ(weight, 2.0);
  }
}

TEST(MismatchWeights, StayFiniteForAbsurdLogProbabilities) {
  for (const auto& config : {truncated_importance_sampling(),
                             sequence_masked_importance_sampling(),
                             token_gate(),
                             geometric_gate()}) {
    for (const double weight :
         mismatch_weights(std::vector<double>{0, -1e9}, std::vector<double>{-1e9, 0}, config)) {
      EXPECT_TRUE(std::isfinite(weight));
    }
  }
}

TEST(MeasureMismatch, MatchesTheReference) {
  for (const auto& golden : golden_numbers("mismatch")) {
    const auto ours =
        measure_mismatch(list_of<double>(golden["trainer"]), list_of<double>(golden["engine"]));
    expect_close(ours.mean_ratio, golden["mean_ratio"], "mean");
    expect_close(ours.max_ratio, golden["max_ratio"], "max");
    expect_close(ours.outside_share, golden["outside_share"], "outside");
    expect_close(ours.kl_k1, golden["kl_k1"], "k1");
    expect_close(ours.kl_k3, golden["kl_k3"], "k3");
    expect_close(ours.perplexity_ratio, golden["perplexity_ratio"], "perplexity");
    expect_close(ours.effective_sample_share, golden["effective_sample_share"], "sample share");
  }
}

TEST(MeasureMismatch, ReportsAgreementForEqualLogProbabilitiesAndForNone) {
  const std::vector<double> logprobs = {-0.3, -2.0, -0.001};
  for (const auto& ours : {measure_mismatch(logprobs, logprobs), measure_mismatch({}, {})}) {
    EXPECT_EQ(ours.mean_ratio, 1.0);
    EXPECT_EQ(ours.max_ratio, 1.0);
    EXPECT_EQ(ours.kl_k1, 0.0);
    EXPECT_EQ(ours.kl_k3, 0.0);
    EXPECT_EQ(ours.max_difference, 0.0);
    EXPECT_EQ(ours.effective_sample_share, 1.0);
  }
}

}  // namespace
}  // namespace dreamgym
