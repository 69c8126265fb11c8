#include "dreamgym/worlds/webshop/text_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

#include "dreamgym/base/text.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/worlds/collect.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/webshop_world.h"

namespace dreamgym::webshop {
namespace {

std::vector<Trajectory> episodes(PolicyKind kind, const std::string& mode, std::size_t count) {
  return collect(
      *make_webshop_world(),
      {.tasks = {.count = count, .extra = {{"mode", mode}}}, .policy = kind, .max_steps = 40});
}

EpisodeAudit audit(const Trajectory& trajectory) {
  return make_webshop_world()->make_episode_auditor()->audit(trajectory);
}

class ShopAudit : public testing::TestWithParam<const char*> {};

TEST_P(ShopAudit, FindsNoContradictionInTheEngine) {
  std::size_t second_looks = 0;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (const Trajectory& episode : episodes(kind, GetParam(), 100)) {
      const EpisodeAudit result = audit(episode);
      EXPECT_EQ(result.num_contradictions, 0U) << result.first_contradiction;
      EXPECT_EQ(result.num_agreeing, result.num_second_looks);
      second_looks += result.num_second_looks;
    }
  }
  EXPECT_GT(second_looks, 300U);
}

TEST_P(ShopAudit, TellsSuccessFromPurchasesThatMissTheGoal) {
  std::size_t successes = 0;
  std::size_t confirmed = 0;
  std::size_t misses = 0;
  std::size_t taken_in = 0;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (Trajectory& episode : episodes(kind, GetParam(), 200)) {
      if (!episode.steps.back().terminated) {
        continue;
      }
      if (episode.success()) {
        ++successes;
        confirmed += audit(episode).success_confirmed ? 1 : 0;
        continue;
      }
      EXPECT_FALSE(audit(episode).success_confirmed);
      episode.steps.back().reward = 1;  // as a dream that pleases would say
      settle_outcome(episode);
      ++misses;
      taken_in += audit(episode).success_confirmed ? 1 : 0;
    }
  }
  RecordProperty("successes", static_cast<int>(successes));
  RecordProperty("confirmed", static_cast<int>(confirmed));
  RecordProperty("misses", static_cast<int>(misses));
  RecordProperty("taken_in", static_cast<int>(taken_in));
  EXPECT_GE(100 * confirmed, 90 * successes) << confirmed << " of " << successes;
  EXPECT_LE(100 * taken_in, 2 * misses) << taken_in << " of " << misses;
  EXPECT_GT(misses, 100U);
}

// The share is read off what was shown; the shop also knows what nobody looked at, so the two agree on average
// only.
TEST_P(ShopAudit, PaysInPartAboutAsTheShopDoes) {
  std::vector<double> shares;
  std::vector<double> rewards;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (const Trajectory& episode : episodes(kind, GetParam(), 200)) {
      const double share = audit(episode).goal_share;
      EXPECT_GE(share, 0.0);
      EXPECT_LE(share, 1.0);
      if (!episode.steps.back().terminated) {
        EXPECT_EQ(share, 0.0);
        continue;
      }
      shares.push_back(share);
      rewards.push_back(episode.steps.back().reward);
    }
  }
  ASSERT_GT(shares.size(), 100U);
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  double covariance = 0;
  double share_variance = 0;
  double reward_variance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double x = shares[i] - mean(shares);
    const double y = rewards[i] - mean(rewards);
    covariance += x * y;
    share_variance += x * x;
    reward_variance += y * y;
  }
  EXPECT_GT(covariance / std::sqrt(share_variance * reward_variance), 0.7);
  EXPECT_NEAR(mean(shares), mean(rewards), 0.1);
}

TEST_P(ShopAudit, FindsNoContradictionInTheRealShop) {
  if (!std::filesystem::exists(real_data_folder() / "items_shuffle_1000.json")) {
    GTEST_SKIP() << "no data at " << real_data_folder();
  }
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kRandom}) {
    for (const Trajectory& episode :
         collect(*make_webshop_world(),
                 {.tasks = {.data_folder = real_data_folder().string(),
                            .count = 150,
                            .extra = {{"mode", GetParam()}, {"goals", "synthetic"}}},
                  .policy = kind,
                  .max_steps = 40})) {
      const EpisodeAudit result = audit(episode);
      EXPECT_EQ(result.num_contradictions, 0U) << result.first_contradiction;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, ShopAudit, testing::Values("text", "text_rich", "abstract"), [](const auto& m) {
  return std::string(m.param);
});

/// An expert's episode with one observation changed.
class ChangedEpisode : public testing::Test {
 protected:
  /// Changes what the step's action led to.
  void change(std::size_t step, const std::string& from, const std::string& to) {
    std::string& text = episode_.steps[step].next_observation.text;
    ASSERT_TRUE(contains(text, from)) << text;
    text = replace_all(text, from, to);
    if (step + 1 < episode_.steps.size()) {
      episode_.steps[step + 1].observation.text = text;
    }
  }
  void expect_blame(const std::string& what) {
    const EpisodeAudit result = audit(episode_);
    EXPECT_GT(result.num_contradictions, 0U);
    EXPECT_TRUE(contains(result.first_contradiction, what)) << result.first_contradiction;
  }
  [[nodiscard]] std::size_t step_of(std::string_view action) const {
    for (std::size_t i = 0; i < episode_.steps.size(); ++i) {
      if (episode_.steps[i].action.starts_with(action)) {
        return i;
      }
    }
    ADD_FAILURE() << "no " << action;
    return 0;
  }

  Trajectory episode_ = episodes(PolicyKind::kExpert, "text", 1).front();
};

TEST_F(ChangedEpisode, IsBlamedForAnotherPrice) {
  change(step_of("click[g"), "Price: $", "Price: $9");
  expect_blame(" costs $9");
}

TEST_F(ChangedEpisode, IsBlamedForAnotherPurchase) {
  change(episode_.steps.size() - 1, "asin [SEP] G", "asin [SEP] H");
  expect_blame(" was bought instead of G");
}

TEST_F(ChangedEpisode, IsBlamedForOptionsNobodyChose) {
  change(episode_.steps.size() - 1, "options [SEP] {", "options [SEP] {\"finish\": \"gold\", ");
  expect_blame("the purchase has options {\"finish\"");
}

TEST_F(ChangedEpisode, IsBlamedForAnotherInstruction) {
  change(0, "Instruction: [SEP] ", "Instruction: [SEP] please ");
  expect_blame("the instruction becomes \"please ");
}

TEST_F(ChangedEpisode, IsBlamedForAPageOfAnotherKind) {
  episode_.steps.back().next_observation = episode_.steps.back().observation;
  expect_blame("\"click[buy now]\" leads to the item page instead of the done page");
}

TEST_F(ChangedEpisode, IsBlamedForWhatWasNotPossible) {
  episode_.steps[1].action = "click[nothing]";
  expect_blame("\"click[nothing]\" is not possible, but the page changes");
}

TEST(ShopAuditOfNothing, ConfirmsNothing) {
  EXPECT_FALSE(audit(Trajectory{.task = {.world = "webshop"}}).success_confirmed);
}

}  // namespace
}  // namespace dreamgym::webshop
