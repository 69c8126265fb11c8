#include "dreamgym/train/gae.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/error_message.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ValuedTokens tokens_of(const nlohmann::json& golden, const std::string& rewards) {
  return {.rewards = list_of<double>(golden[rewards]),
          .values = list_of<double>(golden["values"]),
          .completion_mask = list_of<bool>(golden["mask"]),
          .turns = list_of<std::size_t>(golden["turns"])};
}

TEST(TokenGae, MatchesTheReference) {
  for (const auto& golden : golden_numbers("gae")) {
    ValuedTokens tokens = tokens_of(golden, "rewards");
    tokens.value_after_end = golden["after"];
    const auto ours = token_gae(tokens, {.gamma = golden["gamma"], .lambda = golden["lambda"]});
    expect_close(ours.advantages, golden["advantages"], "advantages");
    for (std::size_t t = 0; t < tokens.values.size(); ++t) {
      const double expected = tokens.completion_mask[t] ? ours.advantages[t] + tokens.values[t] : 0;
      EXPECT_DOUBLE_EQ(ours.returns[t], expected);
    }
  }
}

TEST(TokenGae, MatchesAHandComputedTable) {
  // gamma 0.5, lambda 0.5; token 1 is the environment's.
  // t = 3: delta = 1 + 0 - 0.4 = 0.6;           A = 0.6
  // t = 2: delta = 0 + 0.5 * 0.4 - 0.2 = 0;     A = 0 + 0.25 * 0.6 = 0.15
  // t = 0: delta = 0 + 0.5 * 0.2 - 0.6 = -0.5;  A = -0.5 + 0.25 * 0.15 = -0.4625
  const auto ours = token_gae({.rewards = {0, 0, 0, 1},
                               .values = {0.6, 9.0, 0.2, 0.4},
                               .completion_mask = {true, false, true, true},
                               .turns = {}},
                              {.gamma = 0.5, .lambda = 0.5});
  expect_close(ours.advantages, {-0.4625, 0.0, 0.15, 0.6}, "advantages");
  expect_close(ours.returns, {0.1375, 0.0, 0.35, 1.0}, "returns");
}

TEST(TokenGae, WithLambdaOneIsReturnMinusValue) {
  Rng rng(3);
  ValuedTokens tokens;
  double sum = 0;
  for (int t = 0; t < 20; ++t) {
    tokens.rewards.push_back(rng.normal());
    tokens.values.push_back(rng.normal());
    tokens.completion_mask.push_back(true);
    sum += tokens.rewards.back();
  }
  EXPECT_NEAR(token_gae(tokens, {}).advantages[0], sum - tokens.values[0], 1e-12);
}

TEST(TokenGae, IgnoresValuesOfTheEnvironmentsTokens) {
  const auto ours = token_gae({.rewards = {0, 0, 1},
                               .values = {0.5, kNan, 0.5},
                               .completion_mask = {true, false, true},
                               .turns = {}},
                              {});
  EXPECT_EQ(ours.advantages, (std::vector<double>{0.5, 0.0, 0.5}));
}

TEST(TokenGae, RefusesARewardThatWouldBeLost) {
  const std::string message = message_of([] {
    return token_gae(
        {.rewards = {0, 1}, .values = {0, 0}, .completion_mask = {true, false}, .turns = {}}, {});
  });
  EXPECT_TRUE(contains(message, "token 1 of 2 has reward 1")) << message;
  EXPECT_TRUE(contains(message, "last sampled token")) << message;
}

TEST(TokenGae, RefusesNumbersOutOfRange) {
  const ValuedTokens one = {.rewards = {0}, .values = {0}, .completion_mask = {true}, .turns = {}};
  ValuedTokens bad_reward = one;
  bad_reward.rewards[0] = kNan;
  ValuedTokens bad_value = one;
  bad_value.values[0] = kNan;
  EXPECT_TRUE(contains(message_of([&] { return token_gae(bad_reward, {}); }), "token rewards"));
  EXPECT_TRUE(contains(message_of([&] { return token_gae(bad_value, {}); }), "value of token 0"));
  EXPECT_TRUE(contains(message_of([&] { return token_gae(one, {.gamma = 1.5}); }), "gamma"));
  EXPECT_TRUE(contains(message_of([&] { return token_gae(one, {.lambda = -1}); }), "lambda"));
}

TEST(TwoLevelGae, MatchesTheReference) {
  for (const auto& golden : golden_numbers("gae")) {
    const auto ours =
        two_level_gae(tokens_of(golden, "turn_rewards"),
                      {.turns = {.gamma = 0.95, .lambda = 0.8},
                       .tokens = {.gamma = golden["gamma"], .lambda = golden["lambda"]}});
    expect_close(ours.advantages, golden["two_level"], "two-level advantages");
  }
}

TEST(TwoLevelGae, IsFlatGaeForOneTurn) {
  const ValuedTokens tokens = {.rewards = {0, 0, 1},
                               .values = {0.1, -0.3, 0.7},
                               .completion_mask = {true, true, true},
                               .turns = {4, 4, 4}};
  const GaeConfig config = {.gamma = 0.9, .lambda = 0.7};
  EXPECT_EQ(two_level_gae(tokens, {.turns = {.gamma = 0.5}, .tokens = config}).advantages,
            token_gae(tokens, config).advantages);
}

TEST(TwoLevelGae, DiscountsTurnsAndNotTokens) {
  // Two turns of 3 tokens, no critic: the first turn's tokens are one turn from the reward.
  const auto ours = two_level_gae({.rewards = {0, 0, 0, 0, 0, 1},
                                   .values = std::vector<double>(6, 0.0),
                                   .completion_mask = std::vector<bool>(6, true),
                                   .turns = {0, 0, 0, 1, 1, 1}},
                                  {.turns = {.gamma = 0.9}, .tokens = {}});
  EXPECT_EQ(ours.returns, (std::vector<double>{0.9, 0.9, 0.9, 1, 1, 1}));
}

TEST(TwoLevelGae, RefusesARewardInsideATurn) {
  const std::string message = message_of([] {
    return two_level_gae(
        {.rewards = {0.5, 1}, .values = {0, 0}, .completion_mask = {true, true}, .turns = {0, 0}},
        {});
  });
  EXPECT_TRUE(contains(message, "token 0 has reward 0.5 inside turn 0")) << message;
}

}  // namespace
}  // namespace dreamgym
