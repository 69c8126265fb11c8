#include "dreamgym/train/reinforce_pp.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

TEST(ReinforcePp, MatchesTheReference) {
  for (const auto& golden : golden_numbers("reinforce_pp")) {
    std::vector<RewardedTokens> batch;
    for (std::size_t n = 0; n < golden["mask"].size(); ++n) {
      batch.push_back({list_of<double>(golden["rewards"][n]), list_of<bool>(golden["mask"][n])});
    }
    const auto ours = reinforce_pp_advantages(batch, golden["gamma"]);
    for (std::size_t n = 0; n < ours.size(); ++n) {
      expect_close(ours[n], golden["advantages"][n], "sequence " + std::to_string(n));
    }
  }
}

TEST(ReinforcePp, CarriesALaterRewardPastTheEnvironmentsTurn) {
  // verl#7278: token 0 must hear of the reward on token 2 although token 1 is the environment's.
  const std::vector<RewardedTokens> batch = {{{0, 0, 1}, {true, false, true}},
                                             {{0, 0, 0}, {true, false, true}}};
  const auto ours = reinforce_pp_advantages(batch, 1.0);
  EXPECT_GT(ours[0][0], 0.5);
  EXPECT_EQ(ours[0][0], ours[0][2]);
  EXPECT_LT(ours[1][0], -0.5);
}

TEST(ReinforcePp, RefusesARewardOnATokenOfTheEnvironment) {
  const std::vector<RewardedTokens> batch = {{{0, 1}, {true, false}}};
  EXPECT_TRUE(contains(message_of([&] { return reinforce_pp_advantages(batch, 1.0); }),
                       "written by the environment"));
}

TEST(ReinforcePpBaseline, MatchesTheReference) {
  for (const auto& golden : golden_numbers("reinforce_pp")) {
    std::vector<GroupSample> samples;
    for (const auto& row : golden["rows"]) {
      samples.push_back({row["group"], row["episode"], row["score"]});
    }
    expect_close(
        reinforce_pp_baseline_advantages(samples, list_of<std::size_t>(golden["tokens"]), true),
        golden["baseline"],
        "baseline");
  }
}

TEST(ReinforcePpBaseline, LeavesSingletonsOutOfTheWhitening) {
  const std::vector<GroupSample> pair = {{1, 1, 1.0}, {1, 2, 0.0}};
  const std::vector<GroupSample> with_singleton = {{1, 1, 1.0}, {1, 2, 0.0}, {2, 3, 50.0}};
  const auto ours =
      reinforce_pp_baseline_advantages(with_singleton, std::vector<std::size_t>{2, 2, 9});
  const auto alone = reinforce_pp_baseline_advantages(pair, std::vector<std::size_t>{2, 2});
  EXPECT_EQ(ours, (std::vector<double>{alone[0], alone[1], 0.0}));
}

}  // namespace
}  // namespace dreamgym
