#include "dreamgym/train/policy_objective.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

using Batch = std::vector<PolicySequence>;

BatchCounts counts_of(const Batch& batch) {
  std::vector<std::size_t> lengths;
  for (const PolicySequence& sequence : batch) {
    std::size_t length = 0;
    for (const bool chosen : sequence.completion_mask) {
      length += chosen ? 1 : 0;
    }
    lengths.push_back(length);
  }
  return count_batch(lengths);
}

double loss_of(const Batch& batch, const PolicyObjectiveConfig& config) {
  PolicySums sums;
  for (const PolicySequence& sequence : batch) {
    sums += policy_objective(sequence, counts_of(batch), config).sums;
  }
  return sums.loss;
}

Batch golden_batch(const nlohmann::json& rows) {
  Batch batch;
  for (const auto& row : rows) {
    PolicySequence& sequence = batch.emplace_back();
    sequence.completion_mask = list_of<bool>(row["mask"]);
    sequence.entropies = list_of<double>(row["entropies"]);
    for (std::size_t t = 0; t < row["mask"].size(); ++t) {
      sequence.tokens.push_back({row["logprobs"][t],
                                 row["old_logprobs"][t],
                                 row["reference_logprobs"][t],
                                 row["advantages"][t],
                                 row["weights"][t]});
    }
  }
  return batch;
}

LossAggregation aggregation_from(const std::string& name) {
  using enum LossAggregation;
  for (const LossAggregation mode :
       {kTokenMean, kSequenceMeanOfTokenSum, kSequenceMeanOfTokenMean}) {
    if (loss_aggregation_name(mode) == name) {
      return mode;
    }
  }
  return kTokenSumOverConstant;
}

PolicyObjectiveConfig golden_config(const nlohmann::json& config) {
  PolicyObjectiveConfig out;
  const std::string surrogate = config["surrogate"];
  const std::string kl = config["kl"];
  out.surrogate = surrogate == "gspo"    ? PolicySurrogate::kGspo
                  : surrogate == "cispo" ? PolicySurrogate::kCispo
                                         : PolicySurrogate::kClipped;
  out.loss.clip_low = config["clip_low"];
  out.loss.clip_high = config["clip_high"];
  out.loss.dual_clip = config["dual_clip"];
  out.loss.kl_coefficient = config["kl_coefficient"];
  out.loss.kl_straight_through = kl.ends_with('+');
  out.loss.kl_estimator = kl.starts_with("k1")   ? KlEstimator::kK1
                          : kl.starts_with("k2") ? KlEstimator::kK2
                          : kl.starts_with("k3") ? KlEstimator::kK3
                                                 : KlEstimator::kAbs;
  out.loss.entropy_coefficient = config["entropy_coefficient"];
  out.aggregation = aggregation_from(config["aggregation"]);
  out.aggregation_constant = config["constant"];
  return out;
}

TEST(PolicyObjective, MatchesTheReferenceForEverySurrogateAndAggregation) {
  const auto golden = golden_numbers("policy");
  const Batch batch = golden_batch(golden["rows"]);
  for (const auto& one : golden["cases"]) {
    const PolicyObjectiveConfig config = golden_config(one["config"]);
    const std::string where = one["config"].dump();
    expect_close(loss_of(batch, config), one["loss"].get<double>(), where);
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const auto ours = policy_objective(batch[n], counts_of(batch), config);
      expect_close(ours.d_logprob, one["d_logprob"][n], where);
      expect_close(ours.d_entropy, one["d_entropy"][n], where);
    }
  }
}

TEST(PolicyObjective, GradientsMatchFiniteDifferencesOfTheBatchsLoss) {
  // Clipped surrogate with k2 and entropy: all of it is a true derivative away from kinks.
  const auto golden = golden_numbers("policy");
  PolicyObjectiveConfig config;
  config.loss.kl_coefficient = 0.2;
  config.loss.kl_estimator = KlEstimator::kK2;
  config.loss.entropy_coefficient = 0.05;
  config.aggregation = LossAggregation::kSequenceMeanOfTokenMean;
  Batch batch = golden_batch(golden["rows"]);
  constexpr double kStep = 1e-6;
  const auto slope = [&](double& input) {
    const double kept = input;
    input = kept + kStep;
    const double above = loss_of(batch, config);
    input = kept - kStep;
    const double below = loss_of(batch, config);
    input = kept;
    return (above - below) / (2 * kStep);
  };
  for (PolicySequence& sequence : batch) {
    const auto ours = policy_objective(sequence, counts_of(batch), config);
    for (std::size_t t = 0; t < sequence.tokens.size(); ++t) {
      EXPECT_NEAR(ours.d_logprob[t], slope(sequence.tokens[t].logprob), 1e-8);
      EXPECT_NEAR(ours.d_entropy[t], slope(sequence.entropies[t]), 1e-8);
    }
  }
}

TEST(PolicyObjective, IsNothingForASequenceWithoutATokenOfThePolicy) {
  const PolicySequence masked = {
      .tokens = {{-1, -2, 0, 1}}, .entropies = {}, .completion_mask = {false}};
  const auto ours = policy_objective(masked, {.tokens = 4, .sequences = 1}, {});
  EXPECT_EQ(ours.sums.tokens, 0.0);
  EXPECT_EQ(ours.sums.loss, 0.0);
  EXPECT_EQ(ours.d_logprob, std::vector<double>{0.0});
}

TEST(PolicyObjective, SumsItsMetricsOverTokens) {
  const PolicySequence sequence = {.tokens = {{-1.0, -1.0, 0, 1.0}, {-0.5, -1.0, 0, 1.0}},
                                   .entropies = {0.25, 0.5},
                                   .completion_mask = {true, true}};
  const PolicySums sums = policy_objective(sequence, {.tokens = 2, .sequences = 1}, {}).sums;
  EXPECT_DOUBLE_EQ(sums.kl_to_old, -0.5);
  EXPECT_DOUBLE_EQ(sums.entropy, 0.75);
  EXPECT_DOUBLE_EQ(sums.clipped, 1.0);
  EXPECT_DOUBLE_EQ(sums.tokens, 2.0);
}

TEST(PolicyObjective, NeedsEntropiesForAnEntropyBonus) {
  PolicyObjectiveConfig config;
  config.loss.entropy_coefficient = 0.1;
  const PolicySequence sequence = {
      .tokens = {{-1, -1, 0, 1}}, .entropies = {}, .completion_mask = {true}};
  EXPECT_THROW((void)policy_objective(sequence, {.tokens = 1, .sequences = 1}, config), LogicError);
}

}  // namespace
}  // namespace dreamgym
