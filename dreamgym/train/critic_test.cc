#include "dreamgym/train/critic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dreamgym/base/text.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/value_loss.h"
#include "tests/error_message.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

PackedBatch two_episodes() {
  PackedBatch batch;
  for (const TokenId name : {5, 6}) {
    const auto segment = batch.add_segment(std::vector<TokenId>{2, name, 3, 7});
    batch.add_query(segment, 2, 0.5F, std::vector<TokenId>{3, 4});
    batch.add_query(segment, 3);
  }
  return batch;
}

TEST(CriticBatch, AsksItsOwnQuestionAtThePlacesOfThePolicys) {
  const PackedBatch policy = two_episodes();
  const PackedBatch critic = critic_batch(policy, {.good = 9, .bad = 8});
  EXPECT_EQ(critic.tokens, policy.tokens);
  EXPECT_EQ(critic.allowed, (std::vector<TokenId>{8, 9}));
  ASSERT_EQ(critic.queries.size(), policy.queries.size());
  for (std::size_t q = 0; q < critic.queries.size(); ++q) {
    EXPECT_EQ(critic.queries[q].source, policy.queries[q].source);
    EXPECT_EQ(critic.queries[q].target, 9);
    EXPECT_EQ(critic.queries[q].temperature, 1.0F);
  }
}

TEST(CriticValue, SpansItsRange) {
  const CriticConfig config = {.lowest = -1, .highest = 3};
  EXPECT_DOUBLE_EQ(critic_value(0.0, config), 3.0);
  EXPECT_DOUBLE_EQ(critic_value(std::log(0.25), config), 0.0);
  EXPECT_DOUBLE_EQ(critic_value(-1e9, config), -1.0);
}

TEST(CriticGradient, MatchesFiniteDifferences) {
  const CriticConfig config = {.lowest = -0.5, .highest = 2};
  constexpr double kStep = 1e-6;
  for (const double logprob : {-3.0, -0.7, -0.01}) {
    const auto loss = [&](double at) {
      return clipped_value_loss(critic_value(at, config), 0.4, 0.9, {.clip = 0});
    };
    const double slope = (loss(logprob + kStep).loss - loss(logprob - kStep).loss) / (2 * kStep);
    EXPECT_NEAR(critic_gradient(logprob, loss(logprob).d_value, config), slope, 1e-8);
  }
}

TEST(Critic, LearnsTheReturnsOfStatesItCanTellApart) {
  // Episodes named 5 return 1, those named 6 return 0.25.
  TrainableModel model(initial_weights(tiny_transformer(), 3), 1);
  const CriticConfig config;
  const std::vector<PackedBatch> batches = {critic_batch(two_episodes(), config)};
  const std::array<double, 4> returns = {1.0, 1.0, 0.25, 0.25};
  for (int update = 0; update < 200; ++update) {
    (void)model.accumulate(batches, [&](std::size_t, std::span<const TokenScore> scores) {
      std::vector<TokenGradient> gradient(scores.size());
      for (std::size_t q = 0; q < scores.size(); ++q) {
        const double value = critic_value(scores[q].logprob, config);
        const double d_value = clipped_value_loss(value, value, returns[q], {}).d_value;
        gradient[q].logprob =
            static_cast<float>(critic_gradient(scores[q].logprob, d_value, config));
      }
      return gradient;
    });
    (void)model.update({.learning_rate = 3e-3, .weight_decay = 0.0});
  }
  const auto scores = model.score(batches);
  for (std::size_t q = 0; q < returns.size(); ++q) {
    EXPECT_NEAR(critic_value(scores[0][q].logprob, config), returns[q], 0.1) << q;
  }
}

TEST(CriticBatch, RefusesEqualMarkersAndAnEmptyRange) {
  EXPECT_TRUE(contains(
      message_of([] { return critic_batch(two_episodes(), {.good = 3, .bad = 3}); }), "markers 3"));
  EXPECT_NE(message_of([] { return critic_batch(two_episodes(), {.lowest = 1, .highest = 1}); }),
            "");
}

}  // namespace
}  // namespace dreamgym
