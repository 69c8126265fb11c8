#include "dreamgym/train/critic_update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dreamgym/base/text.h"
#include "dreamgym/train/model_state.h"
#include "tests/error_message.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

TransformerWeights tiny() {
  return initial_weights(tiny_transformer(), 3);
}

/// Two turns of one choice each; the reward comes at the end.
Episode episode(TokenId choice, double reward) {
  Episode out;
  out.trajectory.episode_id = std::string(1, 'e');
  TokenLedger& ledger = out.ledgers.emplace_back();
  ledger.append_read(std::vector<TokenId>{2, choice}, TokenSource::kPrompt);
  for (int turn = 0; turn < 2; ++turn) {
    ledger.append_sampled(
        std::vector<TokenId>{choice}, std::vector<float>{-0.7F}, {{5, 6, 7}}, "v", 1.0F);
    ledger.append_read(std::vector<TokenId>{3}, TokenSource::kEnvironment);
    out.trajectory.steps.push_back({.reward = turn == 1 ? reward : 0.0});
  }
  return out;
}

std::vector<const PpoLesson*> pointers(const std::vector<PpoLesson>& lessons) {
  std::vector<const PpoLesson*> out;
  for (const PpoLesson& lesson : lessons) {
    out.push_back(&lesson);
  }
  return out;
}

std::vector<PpoLesson> lessons_of(const std::vector<Episode>& episodes,
                                  const TrainableModel& critic,
                                  const RewardShapingConfig& shaping = {},
                                  const CriticTrainingConfig& config = {}) {
  std::vector<EpisodeRewards> rewards;
  for (const Episode& episode : episodes) {
    rewards.push_back(episode_rewards(episode, shaping));
  }
  return ppo_lessons(episodes, rewards, critic, config, 4096);
}

std::vector<const PolicyLesson*> of_policy(const std::vector<PpoLesson>& lessons) {
  std::vector<const PolicyLesson*> out;
  for (const PpoLesson& lesson : lessons) {
    out.push_back(&lesson.policy);
  }
  return out;
}

const std::vector<Episode> kEpisodes = {episode(5, 1.0), episode(6, 0.0), episode(7, 0.5)};

TEST(PpoLessons, TeachReturnsToTheCriticAndWhitenedAdvantagesToThePolicy) {
  const TrainableModel critic(tiny(), 1);
  const auto lessons = lessons_of(kEpisodes, critic);
  ASSERT_EQ(lessons.size(), 3U);
  double mean = 0;
  double squares = 0;
  for (std::size_t n = 0; n < lessons.size(); ++n) {
    ASSERT_EQ(lessons[n].returns.size(), 2U);
    for (std::size_t t = 0; t < 2; ++t) {  // gamma = lambda = 1: the episode's return everywhere
      EXPECT_NEAR(lessons[n].returns[t], kEpisodes[n].trajectory.steps[1].reward, 1e-12);
      mean += lessons[n].policy.advantages[t] / 6;
      squares += lessons[n].policy.advantages[t] * lessons[n].policy.advantages[t] / 5;
    }
  }
  EXPECT_NEAR(mean, 0.0, 1e-12);
  EXPECT_NEAR(squares, 1.0, 1e-5);
}

TEST(PpoLessons, SubtractThePenaltyOfAnInvalidAction) {
  std::vector<Episode> episodes = kEpisodes;
  episodes[0].trajectory.steps[0].action_valid = false;
  const TrainableModel critic(tiny(), 1);
  const auto lessons = lessons_of(episodes, critic, {.invalid_action_penalty = 0.1});
  EXPECT_NEAR(lessons[0].returns[0], 0.9, 1e-12);
  EXPECT_NEAR(lessons[0].returns[1], 1.0, 1e-12);
}

TEST(PpoLessons, RefuseARewardThatIsNotANumber) {
  const std::vector<Episode> episodes = {episode(5, std::numeric_limits<double>::quiet_NaN())};
  const TrainableModel critic(tiny(), 1);
  EXPECT_TRUE(contains(message_of([&] { return lessons_of(episodes, critic); }),
                       "step rewards of episode \"e\": value 2 of 2 is nan"));
}

TEST(PpoSteps, DoNotDependOnTheSizeOfMicroBatches) {
  const TrainableModel judge(tiny(), 1);
  const ReferencePolicy reference(TrainableModel(tiny(), 1));
  const auto lessons = lessons_of(kEpisodes, judge);
  std::vector<double> losses;
  for (const std::size_t tokens : {7U, 1000U}) {
    TrainableModel policy(tiny(), 1);
    TrainableModel critic(tiny(), 1);
    PolicyStepConfig config;
    config.tokens_per_micro_batch = tokens;
    config.objective.loss.entropy_coefficient = 0.01;
    const PolicyStep step = step_policy(policy, &reference, of_policy(lessons), config);
    losses.push_back(step.sums.loss);
    losses.push_back(step_critic(critic, pointers(lessons), {}, tokens).loss);
    EXPECT_EQ(step.sums.tokens, 6.0);
  }
  EXPECT_NEAR(losses[0], losses[2], 1e-6);
  EXPECT_NEAR(losses[1], losses[3], 1e-6);
}

TEST(PpoSteps, RaiseTheShareOfWhatPaidAndExplainTheReturns) {
  TrainableModel policy(tiny(), 1);
  TrainableModel critic(tiny(), 1);
  PolicyStepConfig config;
  config.optimizer = {.learning_rate = 1e-3, .weight_decay = 0.0};
  CriticTrainingConfig of_critic;
  of_critic.optimizer.learning_rate = 3e-3;
  of_critic.value_loss.clip = 0;
  const auto lessons = lessons_of(kEpisodes, critic, {}, of_critic);
  const CriticStep before = step_critic(critic, pointers(lessons), of_critic, 4096);
  CriticStep after = before;
  for (int i = 0; i < 100; ++i) {
    after = step_critic(critic, pointers(lessons), of_critic, 4096);
  }
  EXPECT_LT(after.loss, 0.2 * before.loss);
  EXPECT_GT(after.explained_variance, 0.8);

  const std::vector<const PolicyLesson*> best = {&lessons[0].policy};
  const double start = step_policy(policy, nullptr, best, config).sums.kl_to_old;
  for (int i = 0; i < 5; ++i) {
    (void)step_policy(policy, nullptr, of_policy(lessons), config);
  }
  // kl_to_old sums old - new log-probabilities: it falls as the good choice gains.
  EXPECT_LT(step_policy(policy, nullptr, best, config).sums.kl_to_old, start);
}

}  // namespace
}  // namespace dreamgym
