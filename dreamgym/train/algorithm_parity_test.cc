// What must hold between the algorithms, whatever their numbers: nine statements that
// docs/algorithms.md numbers P1 to P9.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/rng.h"
#include "dreamgym/train/advantages.h"
#include "dreamgym/train/gae.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/grouped_advantages.h"
#include "dreamgym/train/mismatch_correction.h"
#include "dreamgym/train/policy_objective.h"
#include "dreamgym/train/reinforce_pp.h"

namespace dreamgym {
namespace {

using Batch = std::vector<PolicySequence>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Batch random_batch(Rng& rng, std::size_t num_sequences) {
  Batch batch(num_sequences);
  for (PolicySequence& sequence : batch) {
    const std::size_t length = 1 + rng.below(9);
    for (std::size_t t = 0; t < length; ++t) {
      sequence.tokens.push_back(
          {-2 * rng.uniform(), -2 * rng.uniform(), -2 * rng.uniform(), rng.normal()});
      sequence.entropies.push_back(rng.uniform());
      sequence.completion_mask.push_back(true);
    }
  }
  return batch;
}

BatchCounts counts_of(const Batch& batch) {
  std::vector<std::size_t> lengths;
  for (const PolicySequence& sequence : batch) {
    lengths.push_back(static_cast<std::size_t>(
        std::count(sequence.completion_mask.begin(), sequence.completion_mask.end(), true)));
  }
  return count_batch(lengths);
}

std::vector<PolicyObjectiveConfig> all_objectives() {
  std::vector<PolicyObjectiveConfig> configs;
  for (const auto surrogate :
       {PolicySurrogate::kClipped, PolicySurrogate::kGspo, PolicySurrogate::kCispo}) {
    using enum LossAggregation;
    for (const auto aggregation :
         {kTokenMean, kSequenceMeanOfTokenSum, kSequenceMeanOfTokenMean, kTokenSumOverConstant}) {
      PolicyObjectiveConfig& config = configs.emplace_back();
      config.surrogate = surrogate;
      config.aggregation = aggregation;
      config.aggregation_constant = 50;
      config.loss.kl_coefficient = 0.1;
      config.loss.entropy_coefficient = 0.01;
      config.loss.dual_clip = 3.0;
    }
  }
  return configs;
}

/// Loss over the sequences in this order, in micro-batches of this size.
double loss_in_parts(const Batch& batch, std::size_t part, const PolicyObjectiveConfig& config) {
  const BatchCounts whole = counts_of(batch);
  double loss = 0;
  for (std::size_t begin = 0; begin < batch.size(); begin += part) {
    PolicySums sums;
    for (std::size_t n = begin; n < std::min(batch.size(), begin + part); ++n) {
      sums += policy_objective(batch[n], whole, config).sums;
    }
    loss += sums.loss;
  }
  return loss;
}

// Hand-computed tables stand beside each estimator (P1), k1 to k3 in kl_estimators_test.cc (P2).
TEST(AlgorithmParity, P1EstimatorsMatchOneSmallTable) {
  const std::vector<double> returns = {1, 0, 0, 1};  // mean 1/2, squares 1, std sqrt(1/3)
  EXPECT_NEAR(group_advantages(returns)[0], 0.5 / (std::sqrt(1.0 / 3) + 1e-6), 1e-12);
  EXPECT_NEAR(leave_one_out_advantages(returns)[0], 1 - 1.0 / 3, 1e-12);
  const TokenAdvantages gae = token_gae(
      {.rewards = {0, 1}, .values = {0.5, 0.5}, .completion_mask = {true, true}, .turns = {}},
      {.gamma = 1, .lambda = 0});
  EXPECT_EQ(gae.advantages, (std::vector<double>{0, 0.5}));
}

TEST(AlgorithmParity, P3LossDoesNotDependOnMicroBatchesOrOrder) {
  Rng rng(31);
  for (const PolicyObjectiveConfig& config : all_objectives()) {
    Batch batch = random_batch(rng, 12);
    const double whole = loss_in_parts(batch, 12, config);
    const BatchCounts counts = counts_of(batch);
    const auto first = policy_objective(batch[0], counts, config);
    for (const std::size_t part : {1u, 5u, 8u}) {
      EXPECT_NEAR(loss_in_parts(batch, part, config), whole, 1e-12);
    }
    std::reverse(batch.begin(), batch.end());
    EXPECT_NEAR(loss_in_parts(batch, 5, config), whole, 1e-12);
    EXPECT_EQ(policy_objective(batch.back(), counts, config).d_logprob, first.d_logprob);
  }
}

TEST(AlgorithmParity, P4MaskedTokensChangeNoLoss) {
  Rng rng(41);
  for (const PolicyObjectiveConfig& config : all_objectives()) {
    const Batch batch = random_batch(rng, 4);
    Batch with_masked = batch;
    for (PolicySequence& sequence : with_masked) {
      for (int inserted = 0; inserted < 3; ++inserted) {
        const auto at = static_cast<std::ptrdiff_t>(rng.below(sequence.tokens.size() + 1));
        sequence.tokens.insert(sequence.tokens.begin() + at, PolicyToken{kNan, kNan, kNan, kNan});
        sequence.entropies.insert(sequence.entropies.begin() + at, kNan);
        sequence.completion_mask.insert(sequence.completion_mask.begin() + at, false);
      }
    }
    EXPECT_DOUBLE_EQ(loss_in_parts(with_masked, 2, config), loss_in_parts(batch, 2, config));
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const auto plain = policy_objective(batch[n], counts_of(batch), config);
      const auto masked = policy_objective(with_masked[n], counts_of(batch), config);
      std::vector<double> left;
      for (std::size_t t = 0; t < masked.d_logprob.size(); ++t) {
        if (with_masked[n].completion_mask[t]) {
          left.push_back(masked.d_logprob[t]);
        } else {
          EXPECT_EQ(masked.d_logprob[t], 0.0);
        }
      }
      EXPECT_EQ(left, plain.d_logprob);
    }
  }
}

TEST(AlgorithmParity, P4MaskedTokensChangeNoAdvantage) {
  Rng rng(42);
  for (int round = 0; round < 50; ++round) {
    ValuedTokens plain;
    ValuedTokens masked;
    const std::size_t length = 2 + rng.below(8);
    for (std::size_t t = 0; t < length; ++t) {
      const std::size_t turn = t / 3;
      for (std::uint64_t k = rng.below(3); k > 0; --k) {  // the environment's tokens come before
        masked.rewards.push_back(0);
        masked.values.push_back(kNan);
        masked.completion_mask.push_back(false);
        masked.turns.push_back(turn);
      }
      const bool ends_turn = t % 3 == 2 || t + 1 == length;
      for (ValuedTokens* tokens : {&plain, &masked}) {
        tokens->completion_mask.push_back(true);
        tokens->turns.push_back(turn);
      }
      plain.rewards.push_back(ends_turn ? rng.normal() : 0.0);
      plain.values.push_back(rng.normal());
      masked.rewards.push_back(plain.rewards.back());
      masked.values.push_back(plain.values.back());
    }
    const auto chosen_of = [&](const std::vector<double>& values) {
      std::vector<double> out;
      for (std::size_t t = 0; t < values.size(); ++t) {
        if (masked.completion_mask[t]) {
          out.push_back(values[t]);
        }
      }
      return out;
    };
    const GaeConfig gae = {.gamma = 0.9, .lambda = 0.8};
    EXPECT_EQ(chosen_of(token_gae(masked, gae).advantages), token_gae(plain, gae).advantages);
    EXPECT_EQ(chosen_of(two_level_gae(masked, {}).advantages), two_level_gae(plain, {}).advantages);
    const std::vector<RewardedTokens> plain_batch = {{plain.rewards, plain.completion_mask}};
    const std::vector<RewardedTokens> masked_batch = {{masked.rewards, masked.completion_mask}};
    EXPECT_EQ(chosen_of(reinforce_pp_advantages(masked_batch, 0.9)[0]),
              reinforce_pp_advantages(plain_batch, 0.9)[0]);
  }
}

TEST(AlgorithmParity, P5APolicyThatHasNotMovedHasRatioOneAndKlZero) {
  Rng rng(51);
  for (const PolicyObjectiveConfig& config : all_objectives()) {
    Batch batch = random_batch(rng, 5);
    for (PolicySequence& sequence : batch) {
      for (PolicyToken& token : sequence.tokens) {
        token.old_logprob = token.logprob;
        token.reference_logprob = token.logprob;
        EXPECT_EQ(clipped_policy_loss(token, config.loss).ratio, 1.0);
      }
      const auto objective = policy_objective(sequence, counts_of(batch), config);
      EXPECT_EQ(objective.sums.kl_to_old, 0.0);
      EXPECT_EQ(objective.sums.kl_to_reference, 0.0);
      EXPECT_EQ(objective.sums.clipped, 0.0);
    }
  }
}

TEST(AlgorithmParity, P6GroupsOfEqualReturnsGiveNoGradientAndNoNan) {
  const std::vector<GroupSample> samples = {{1, 1, 0.1}, {1, 2, 0.1}, {1, 3, 0.1}};
  for (const auto estimator :
       {GroupEstimator::kGrpo, GroupEstimator::kDrGrpo, GroupEstimator::kRloo}) {
    EXPECT_EQ(grouped_advantages(samples, {.estimator = estimator}).advantages,
              (std::vector<double>{0, 0, 0}));
  }
  const PolicySequence sequence = {
      .tokens = {{-1, -2, 0, 0}, {-3, -1, 0, 0}}, .entropies = {}, .completion_mask = {true, true}};
  for (const double slope :
       policy_objective(sequence, {.tokens = 2, .sequences = 1}, {}).d_logprob) {
    EXPECT_EQ(slope, 0.0);
  }
}

TEST(AlgorithmParity, P6ASingletonIsDroppedUnlessVerlsRuleIsOn) {
  const std::vector<GroupSample> samples = {{1, 1, 10.0}};
  EXPECT_FALSE(grouped_advantages(samples, {}).used[0]);
  EXPECT_EQ(grouped_advantages(samples, {.keep_singletons = true}).advantages[0], 10.0);
}

std::vector<GigpoStep> random_steps(Rng& rng, bool states_repeat) {
  std::vector<GigpoStep> steps;
  for (std::uint64_t episode = 0; episode < 12; ++episode) {
    const auto score = static_cast<double>(rng.below(2));
    for (std::uint64_t t = 0, length = 1 + rng.below(5); t < length; ++t) {
      const std::string anchor =
          states_repeat ? std::to_string(rng.below(3)) : std::to_string(steps.size());
      steps.push_back({episode / 4, episode, score, t + 1 == length ? score : 0.0, anchor});
    }
  }
  return steps;
}

std::vector<double> grpo_of(const std::vector<GigpoStep>& steps) {
  std::vector<GroupSample> samples;
  for (const GigpoStep& step : steps) {
    samples.push_back({step.group, step.episode, step.episode_score});
  }
  return grouped_advantages(samples, {}).advantages;
}

TEST(AlgorithmParity, P7GigpoWithoutRepeatedStatesIsGrpo) {
  Rng rng(71);
  const auto steps = random_steps(rng, false);
  EXPECT_EQ(gigpo_advantages(steps, {}).advantages, grpo_of(steps));
}

TEST(AlgorithmParity, P8GigpoWithStepWeightZeroIsGrpo) {
  Rng rng(81);
  const auto steps = random_steps(rng, true);
  EXPECT_EQ(gigpo_advantages(steps, {.step_weight = 0.0}).advantages, grpo_of(steps));
  EXPECT_NE(gigpo_advantages(steps, {}).advantages, grpo_of(steps));
}

TEST(AlgorithmParity, P9ImportanceSamplingWithEqualLogProbabilitiesIsTheIdentity) {
  const std::vector<double> logprobs = {-0.1, -3.0, -700.0, 0.0};
  for (const auto& config : {MismatchConfig{},
                             truncated_importance_sampling(),
                             sequence_masked_importance_sampling(),
                             token_gate(),
                             geometric_gate()}) {
    EXPECT_EQ(mismatch_weights(logprobs, logprobs, config), (std::vector<double>{1, 1, 1, 1}));
  }
}

}  // namespace
}  // namespace dreamgym
