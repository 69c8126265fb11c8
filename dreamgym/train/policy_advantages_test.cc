#include "dreamgym/train/policy_advantages.h"

#include <gtest/gtest.h>

#include "dreamgym/train/advantages.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/reinforce_pp.h"

namespace dreamgym {
namespace {

/// An episode of one chosen token a turn, each turn in its own state; the last turn is rewarded.
Episode episode(std::size_t group, std::size_t turns, double reward) {
  Episode out;
  out.group = group;
  TokenLedger& ledger = out.ledgers.emplace_back();
  ledger.append_read(std::vector<TokenId>{2}, TokenSource::kPrompt);
  for (std::size_t t = 0; t < turns; ++t) {
    ledger.append_sampled(
        std::vector<TokenId>{5}, std::vector<float>{-0.7F}, {{5, 6}}, "v", 1.0F);
    ledger.append_read(std::vector<TokenId>{3}, TokenSource::kEnvironment);
    Transition step;
    step.observation.text = "state " + std::to_string(t);
    step.reward = t + 1 == turns ? reward : 0.0;
    out.trajectory.steps.push_back(step);
  }
  out.trajectory.episode_return = reward;
  return out;
}

std::vector<EpisodeRewards> rewards_of(const std::vector<Episode>& episodes) {
  std::vector<EpisodeRewards> rewards;
  for (const Episode& one : episodes) {
    rewards.push_back(episode_rewards(one, {}));
  }
  return rewards;
}

// Two groups, mixed in the batch, of three and two members.
const std::vector<Episode> kEpisodes = {
    episode(0, 2, 1.0), episode(1, 1, 0.0), episode(0, 3, 0.0), episode(0, 1, 0.25), episode(1, 2, 1.0)};

std::vector<std::vector<double>> advantages(const AdvantageConfig& config) {
  return policy_advantages(kEpisodes, rewards_of(kEpisodes), config);
}

TEST(PolicyAdvantages, OfAGroupAreThoseOfItsEstimator) {
  const std::vector<double> first = {1.0, 0.0, 0.25};  // returns of group 0
  const std::vector<double> second = {0.0, 1.0};
  using enum AdvantageEstimator;
  for (const auto& [estimator, expected] :
       {std::pair{kGrpo, std::pair{group_advantages(first), group_advantages(second)}},
        std::pair{kDrGrpo, std::pair{centred_advantages(first), centred_advantages(second)}},
        std::pair{kRloo,
                  std::pair{leave_one_out_advantages(first), leave_one_out_advantages(second)}}}) {
    const auto of_token = advantages({.estimator = estimator});
    EXPECT_EQ(of_token[0], std::vector<double>(2, expected.first[0]));
    EXPECT_EQ(of_token[2], std::vector<double>(3, expected.first[1]));
    EXPECT_EQ(of_token[3], std::vector<double>(1, expected.first[2]));
    EXPECT_EQ(of_token[1], std::vector<double>(1, expected.second[0]));
    EXPECT_EQ(of_token[4], std::vector<double>(2, expected.second[1]));
  }
}

TEST(PolicyAdvantages, AddGigposStepPartToAnyEstimator) {
  std::vector<GigpoStep> steps;
  for (std::size_t e = 0; e < kEpisodes.size(); ++e) {
    for (const Transition& step : kEpisodes[e].trajectory.steps) {
      steps.push_back({kEpisodes[e].group,
                       e,
                       kEpisodes[e].trajectory.episode_return,
                       step.reward,
                       step.observation.text});
    }
  }
  const auto gigpo = gigpo_advantages(steps, {.gamma = 0.9, .step_weight = 0.5});
  std::vector<double> flat;
  for (const auto& of_episode : advantages({.step_weight = 0.5, .step_discount = 0.9})) {
    flat.insert(flat.end(), of_episode.begin(), of_episode.end());
  }
  ASSERT_EQ(flat.size(), gigpo.advantages.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    EXPECT_NEAR(flat[i], gigpo.advantages[i], 1e-12);
  }
}

TEST(PolicyAdvantages, WhitenReturnsToGoOrDifferencesOverTheBatch) {
  std::vector<RewardedTokens> batch;
  for (const EpisodeRewards& rewards : rewards_of(kEpisodes)) {
    batch.push_back({rewards.of_token, std::vector<bool>(rewards.of_token.size(), true)});
  }
  EXPECT_EQ(advantages({.estimator = AdvantageEstimator::kReinforcePp, .token_discount = 0.9}),
            reinforce_pp_advantages(batch, 0.9));
  double sum = 0;
  for (const auto& of_episode : advantages({.estimator = AdvantageEstimator::kReinforcePpBaseline})) {
    for (const double advantage : of_episode) {
      sum += advantage;
    }
  }
  EXPECT_NEAR(sum, 0.0, 1e-12);
}

TEST(PolicyAdvantages, SayNothingOfAnEpisodeWithoutSiblingsUnlessVerlsRuleIsOn) {
  const std::vector<Episode> lonely = {episode(0, 2, 1.0)};
  EXPECT_EQ(policy_advantages(lonely, rewards_of(lonely), {})[0], (std::vector<double>{0, 0}));
  EXPECT_EQ(policy_advantages(lonely, rewards_of(lonely), {.keep_singletons = true})[0],
            (std::vector<double>{1, 1}));
}

TEST(EpisodeRewards, CarryPenaltiesAndKlWithoutTouchingTheTrajectory) {
  Episode one = episode(0, 2, 1.0);
  one.trajectory.steps[0].action_valid = false;
  const RewardShapingConfig shaping = {
      .invalid_action_penalty = 0.1,
      .overlong = {.max_tokens = 2, .buffer_tokens = 2, .factor = 0.5}};
  const EpisodeRewards rewards = episode_rewards(one, shaping, std::vector<double>{0.01, 0.02});
  EXPECT_NEAR(rewards.of_step[0], -0.1 - 0.01, 1e-12);
  EXPECT_NEAR(rewards.of_step[1], 1.0 - 0.5 - 0.02, 1e-12);
  EXPECT_NEAR(rewards.of_token[0], -0.11, 1e-12);
  EXPECT_NEAR(rewards.of_token[1], 0.48, 1e-12);
  EXPECT_NEAR(rewards.score, 1.0 - 0.1 - 0.5 - 0.03, 1e-12);
  EXPECT_EQ(one.trajectory.episode_return, 1.0);
  EXPECT_EQ(episode_rewards(one, {}).score, 1.0);
}

}  // namespace
}  // namespace dreamgym
