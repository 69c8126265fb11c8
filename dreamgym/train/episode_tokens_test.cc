#include "dreamgym/train/episode_tokens.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Allowed = std::vector<std::vector<TokenId>>;

/// Three turns: two choices; a forced action; one choice and a forced marker.
TokenLedger ledger() {
  TokenLedger out;
  const auto say = [&](const std::vector<TokenId>& tokens, const Allowed& allowed) {
    out.append_sampled(tokens, std::vector<float>(tokens.size(), -1.0F), allowed, "v", 1.0F);
    out.append_read(std::vector<TokenId>{9, 9}, TokenSource::kEnvironment);
  };
  out.append_read(std::vector<TokenId>{1, 2}, TokenSource::kPrompt);
  say({4, 5}, {{4, 6}, {}});
  say({7}, {{7}});
  say({4, 8}, {{3, 4}, {8}});
  return out;
}

TEST(EpisodeTokens, PutRewardsOnTheLastChoiceOfTheirTurn) {
  const EpisodeTokens tokens = episode_tokens(ledger(), std::vector<double>{-0.1, 0.0, 1.0});
  EXPECT_EQ(tokens.turns, (std::vector<std::size_t>{0, 0, 2}));
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.0, -0.1, 1.0}));
}

TEST(EpisodeTokens, LayTheRewardOfAForcedTurnOnTheChoiceBefore) {
  const EpisodeTokens tokens = episode_tokens(ledger(), std::vector<double>{0.0, 0.5, 0.0});
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.0, 0.5, 0.0}));
}

TEST(EpisodeTokens, LeaveARewardBeforeAnyChoiceOut) {
  TokenLedger forced;
  forced.append_read(std::vector<TokenId>{1}, TokenSource::kPrompt);
  forced.append_sampled(std::vector<TokenId>{7}, std::vector<float>{0.0F}, {{7}}, "v", 1.0F);
  EXPECT_TRUE(episode_tokens(forced, std::vector<double>{1.0}).rewards.empty());
}

TEST(EpisodeTokens, NeedARewardForEachTurn) {
  EXPECT_THROW((void)episode_tokens(ledger(), std::vector<double>{1.0}), LogicError);
}

}  // namespace
}  // namespace dreamgym
