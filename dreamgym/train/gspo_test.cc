#include "dreamgym/train/gspo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

constexpr PolicyLossConfig kConfig = {.clip_low = 0.2, .clip_high = 0.3};

/// The sequence's own objective: max(-s A, -clip(s) A), s = exp(mean log-ratio).
double sequence_loss(const std::vector<PolicyToken>& tokens) {
  double log_ratio = 0;
  for (const PolicyToken& token : tokens) {
    log_ratio += (token.logprob - token.old_logprob) / static_cast<double>(tokens.size());
  }
  return clipped_surrogate(log_ratio, tokens.front().advantage, kConfig).loss;
}

std::vector<PolicyToken> random_sequence(Rng& rng) {
  std::vector<PolicyToken> tokens(1 + rng.below(6));
  const double advantage = rng.normal();
  for (PolicyToken& token : tokens) {
    token = {-2 * rng.uniform(), -2 * rng.uniform(), 0, advantage};
  }
  return tokens;
}

TEST(GspoPolicyLosses, GradientIsThatOfTheSequencesObjective) {
  Rng rng(21);
  for (int round = 0; round < 200; ++round) {
    std::vector<PolicyToken> tokens = random_sequence(rng);
    const auto losses = gspo_policy_losses(tokens, kConfig);
    if (std::abs(losses[0].ratio - 0.8) < 1e-3 || std::abs(losses[0].ratio - 1.3) < 1e-3) {
      continue;  // at a kink of the clip
    }
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      constexpr double kStep = 1e-6;
      tokens[t].logprob += kStep;
      const double above = sequence_loss(tokens);
      tokens[t].logprob -= 2 * kStep;
      const double below = sequence_loss(tokens);
      tokens[t].logprob += kStep;
      const double mean = losses[t].d_logprob / static_cast<double>(tokens.size());
      EXPECT_NEAR(mean, (above - below) / (2 * kStep), 1e-6) << "round " << round;
    }
  }
}

TEST(GspoPolicyLosses, OfOneTokenAreTheClippedLoss) {
  const PolicyToken token{-1.0, -1.1, -0.7, 0.8};
  PolicyLossConfig config = kConfig;
  config.kl_coefficient = 0.1;
  const auto sequence = gspo_policy_losses(std::vector<PolicyToken>{token}, config);
  const PolicyTokenLoss single = clipped_policy_loss(token, config);
  EXPECT_DOUBLE_EQ(sequence[0].loss, single.loss);
  EXPECT_DOUBLE_EQ(sequence[0].d_logprob, single.d_logprob);
  EXPECT_DOUBLE_EQ(sequence[0].kl_to_old, single.kl_to_old);
}

TEST(GspoPolicyLosses, ClipTheWholeSequenceOrNothing) {
  // One token moved far, the other back: the sequence stands still and nothing is clipped.
  const std::vector<PolicyToken> tokens = {{-0.5, -1.5, 0, 1.0}, {-1.5, -0.5, 0, 1.0}};
  for (const PolicyTokenLoss& loss : gspo_policy_losses(tokens, kConfig)) {
    EXPECT_DOUBLE_EQ(loss.ratio, 1.0);
    EXPECT_FALSE(loss.clipped);
  }
}

TEST(GspoPolicyLosses, StayFiniteForAbsurdLogProbabilities) {
  const auto losses = gspo_policy_losses(std::vector<PolicyToken>{{0, -1e9, 0, -1.0}}, kConfig);
  EXPECT_TRUE(std::isfinite(losses[0].loss));
  EXPECT_TRUE(std::isfinite(losses[0].d_logprob));
}

}  // namespace
}  // namespace dreamgym
