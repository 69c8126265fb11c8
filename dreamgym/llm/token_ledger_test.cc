#include "dreamgym/llm/token_ledger.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

TokenLedger example() {
  TokenLedger ledger;
  ledger.append_read(std::vector<TokenId>{10, 11}, TokenSource::kPrompt);
  ledger.append_sampled(std::vector<TokenId>{5, 6, 7},
                        std::vector<float>{-0.5F, 0.0F, -2.0F},
                        {{3, 5}, {6}, {}},
                        "nano/step-1",
                        0.7F);
  ledger.append_read(std::vector<TokenId>{12}, TokenSource::kEnvironment);
  return ledger;
}

TEST(TokenLedger, KeepsTokensInTheOrderTheyCame) {
  const TokenLedger ledger = example();
  EXPECT_EQ(ledger.tokens(), (std::vector<TokenId>{10, 11, 5, 6, 7, 12}));
  EXPECT_EQ(ledger.size(), 6U);
  EXPECT_EQ(ledger.num_sampled(), 3U);
  EXPECT_EQ(ledger.model_version(), "nano/step-1");
}

TEST(TokenLedger, KnowsWhoWroteEachToken) {
  const TokenLedger ledger = example();
  EXPECT_EQ(ledger.source(0), TokenSource::kPrompt);
  EXPECT_EQ(ledger.source(2), TokenSource::kPolicy);
  EXPECT_EQ(ledger.source(5), TokenSource::kEnvironment);
}

TEST(TokenLedger, TrainsOnlyWhereThePolicyHadAChoice) {
  const TokenLedger ledger = example();
  std::vector<bool> trainable;
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    trainable.push_back(ledger.trainable(i));
  }
  EXPECT_EQ(trainable, (std::vector<bool>{false, false, true, false, true, false}));
}

TEST(TokenLedger, KeepsLogProbabilityTemperatureAndAllowedSetOfEachToken) {
  const TokenLedger ledger = example();
  EXPECT_FLOAT_EQ(ledger.logprob(2), -0.5F);
  EXPECT_FLOAT_EQ(ledger.logprob(5), 0.0F);
  EXPECT_FLOAT_EQ(ledger.temperature(4), 0.7F);
  EXPECT_FLOAT_EQ(ledger.temperature(5), 1.0F);
  const auto set = ledger.allowed(2);
  EXPECT_EQ(std::vector<TokenId>(set.begin(), set.end()), (std::vector<TokenId>{3, 5}));
  EXPECT_EQ(ledger.allowed(3).size(), 1U);
  EXPECT_TRUE(ledger.allowed(4).empty());
  EXPECT_TRUE(ledger.allowed(5).empty());
}

TEST(TokenLedger, RefusesSampledTokensThatDoNotFitAndStaysAsItWas) {
  TokenLedger ledger = example();
  const std::vector<TokenId> token{5};
  EXPECT_THROW(ledger.append_sampled(token, std::vector<float>{}, {{}}, "v", 1.0F), LogicError);
  EXPECT_THROW(ledger.append_sampled(token, std::vector<float>{0.0F}, {}, "v", 1.0F), LogicError);
  EXPECT_THROW(ledger.append_sampled(token, std::vector<float>{0.0F}, {{4, 6}}, "v", 1.0F),
               LogicError);
  EXPECT_THROW(ledger.append_sampled(token, std::vector<float>{0.0F}, {{6, 5}}, "v", 1.0F),
               LogicError);
  EXPECT_THROW(ledger.append_read(token, TokenSource::kPolicy), LogicError);
  EXPECT_EQ(ledger, example());
}

}  // namespace
}  // namespace dreamgym
