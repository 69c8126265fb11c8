#include "dreamgym/train/preference_packing.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

using Tokens = std::vector<TokenId>;

/// What is read, then turns of the agent (taught), each followed by an answer of the environment.
TrainingSequence episode(const Tokens& read, const std::vector<std::pair<Tokens, Tokens>>& turns) {
  TrainingSequence out;
  out.trunk.append(read, LossPart::kNone, 0);
  for (const auto& [action, answer] : turns) {
    out.trunk.append(action, LossPart::kAction, 1);
    out.trunk.append(answer, LossPart::kNone, 0);
  }
  return out;
}

const TrainingSequence kWin = episode({1, 2}, {{{5, 9}, {3}}, {{6, 7, 9}, {3}}, {{8, 9}, {}}});
const TrainingSequence kLoss = episode({1, 2}, {{{5, 9}, {3}}, {{6, 8, 9}, {4}}});

TEST(PreferenceSequence, SharesEverythingBeforeTheTurnInWhichThePairParts) {
  const TrainingSequence pair = preference_sequence(kWin, kLoss);
  EXPECT_EQ(pair.trunk.tokens, (Tokens{1, 2, 5, 9, 3}));
  EXPECT_EQ(pair.trunk.weights, std::vector<float>(5, 0.0F));
  ASSERT_EQ(pair.branches.size(), 2U);
  EXPECT_EQ(pair.branches[0].trunk_end, 5U);
  EXPECT_EQ(pair.branches[0].run.tokens, (Tokens{6, 7, 9, 3, 8, 9}));
  EXPECT_EQ(pair.branches[0].run.weights, (std::vector<float>{1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(pair.branches[1].run.tokens, (Tokens{6, 8, 9, 4}));
}

TEST(PreferenceSequence, RefusesAPairWithoutTwoTails) {
  const std::string message = message_of([] { return preference_sequence(kWin, kWin); });
  EXPECT_TRUE(contains(message, "no two tails to compare")) << message;
  EXPECT_NE(message_of([] { return preference_sequence(kWin, episode({1, 2}, {{{5, 9}, {3}}})); }),
            "");
  EXPECT_NE(message_of([] { return preference_sequence(kWin, episode({4}, {{{5}, {}}})); }), "");
}

TEST(PackPairs, FindsThePlacesOfEachPairsQueries) {
  const TrainingSequence pair = preference_sequence(kWin, kLoss);
  const std::vector<const TrainingSequence*> pairs = {&pair, &pair, &pair};
  const PackedPairs packed = pack_pairs(pairs, 2 * pair.num_tokens());
  ASSERT_EQ(packed.taught.batches.size(), 2U);
  EXPECT_EQ(packed.of_batch, (std::vector<std::vector<std::size_t>>{{0, 1}, {2}}));
  EXPECT_EQ(packed.places[1].begin, 8U);
  EXPECT_EQ(packed.places[2].batch, 1U);
  EXPECT_EQ(packed.places[2].begin, 0U);
  for (const PairPlace& place : packed.places) {
    const auto& queries = packed.taught.batches[place.batch].queries;
    EXPECT_EQ(queries[place.begin + 1].target, 7);                 // of the chosen tail
    EXPECT_EQ(queries[place.begin + place.chosen + 1].target, 8);  // of the rejected one
    EXPECT_EQ(place.chosen, 5U);
    EXPECT_EQ(place.rejected, 3U);
  }
}

TEST(PackPairs, IsForPairsOnly) {
  const std::vector<const TrainingSequence*> not_a_pair = {&kWin};
  EXPECT_THROW((void)pack_pairs(not_a_pair, 100), LogicError);
}

TEST(SumTails, AddsUpTheTwoTailsApart) {
  std::vector<TokenScore> scores;
  for (const float logprob : {-9.0F, -1.0F, -2.0F, -0.5F}) {
    scores.push_back({.logprob = logprob});
  }
  const TailSums sums = sum_tails(scores, {.begin = 1, .chosen = 2, .rejected = 1});
  EXPECT_DOUBLE_EQ(sums.chosen, -3.0);
  EXPECT_DOUBLE_EQ(sums.rejected, -0.5);
}

}  // namespace
}  // namespace dreamgym
