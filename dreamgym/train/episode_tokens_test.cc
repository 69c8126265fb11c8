#include "dreamgym/train/episode_tokens.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Allowed = std::vector<std::vector<TokenId>>;

/// Three turns: two choices; a forced action; one choice and a forced marker.
std::vector<TokenLedger> ledgers() {
  TokenLedger out;
  const auto say = [&](const std::vector<TokenId>& tokens, const Allowed& allowed) {
    out.append_sampled(tokens, std::vector<float>(tokens.size(), -1.0F), allowed, "v", 1.0F);
    out.append_read(std::vector<TokenId>{9, 9}, TokenSource::kEnvironment);
  };
  out.append_read(std::vector<TokenId>{1, 2}, TokenSource::kPrompt);
  say({4, 5}, {{4, 6}, {}});
  say({7}, {{7}});
  say({4, 8}, {{3, 4}, {8}});
  return {out};
}

TEST(EpisodeTokens, PutRewardsOnTheLastChoiceOfTheirTurn) {
  const EpisodeTokens tokens = episode_tokens(ledgers(), std::vector<double>{-0.1, 0.0, 1.0});
  EXPECT_EQ(tokens.turns, (std::vector<std::size_t>{0, 0, 2}));
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.0, -0.1, 1.0}));
}

TEST(EpisodeTokens, LayTheRewardOfAForcedTurnOnTheChoiceBefore) {
  const EpisodeTokens tokens = episode_tokens(ledgers(), std::vector<double>{0.0, 0.5, 0.0});
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.0, 0.5, 0.0}));
}

TEST(EpisodeTokens, LeaveARewardBeforeAnyChoiceOut) {
  TokenLedger forced;
  forced.append_read(std::vector<TokenId>{1}, TokenSource::kPrompt);
  forced.append_sampled(std::vector<TokenId>{7}, std::vector<float>{0.0F}, {{7}}, "v", 1.0F);
  EXPECT_TRUE(episode_tokens(std::vector{forced}, std::vector<double>{1.0}).rewards.empty());
}

TEST(EpisodeTokens, GoOnFromOneContextToTheNext) {
  std::vector<TokenLedger> windows;
  for (const TokenId choice : {4, 5}) {
    TokenLedger& turn = windows.emplace_back();
    turn.append_read(std::vector<TokenId>{1, 2}, TokenSource::kPrompt);
    turn.append_sampled(std::vector<TokenId>{choice}, std::vector<float>{-1.0F}, {{}}, "v", 1.0F);
  }
  windows.emplace_back().append_read(std::vector<TokenId>{1, 5}, TokenSource::kPrompt);  // cut short
  const EpisodeTokens tokens = episode_tokens(windows, std::vector<double>{0.5, 1.0});
  EXPECT_EQ(tokens.turns, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.5, 1.0}));
}

TEST(EpisodeTokens, AThoughtBelongsToTheTurnOfItsAction) {
  TokenLedger ledger;
  ledger.append_read(std::vector<TokenId>{1, 2}, TokenSource::kPrompt);
  for (int turn = 0; turn < 2; ++turn) {
    ledger.append_read(std::vector<TokenId>{10}, TokenSource::kFrame);
    ledger.append_sampled(std::vector<TokenId>{4, 5}, std::vector<float>{-1.0F, -1.0F}, {{}, {}}, "v", 1.0F);
    ledger.append_read(std::vector<TokenId>{11, 12}, TokenSource::kFrame);
    ledger.append_sampled(std::vector<TokenId>{6}, std::vector<float>{-1.0F}, {{6, 7}}, "v", 1.0F);
    ledger.append_read(std::vector<TokenId>{9}, TokenSource::kEnvironment);
  }
  const EpisodeTokens tokens = episode_tokens(std::vector{ledger}, std::vector<double>{0.5, 1.0});
  EXPECT_EQ(tokens.turns, (std::vector<std::size_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(tokens.rewards, (std::vector<double>{0.0, 0.0, 0.5, 0.0, 0.0, 1.0}));
}

TEST(EpisodeTokens, NeedARewardForEachTurn) {
  EXPECT_THROW((void)episode_tokens(ledgers(), std::vector<double>{1.0}), LogicError);
}

}  // namespace
}  // namespace dreamgym
