#include "dreamgym/eval/free_running_check.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

PanelResult panel(const std::vector<int>& successes) {
  PanelResult result;
  std::size_t won = 0;
  for (const int success : successes) {
    Episode episode;
    episode.trajectory.outcome = success != 0 ? Outcome::kSuccess : Outcome::kFailure;
    won += success != 0 ? 1 : 0;
    result.episodes.push_back(std::move(episode));
  }
  result.success = wilson_interval(won, successes.size());
  return result;
}

class Doubter final : public EpisodeAuditor {
 public:
  EpisodeAudit audit(const Trajectory& /*trajectory*/) const override {
    return {false, 1, "step 2: a mug out of nowhere"};
  }
};

TEST(FreeRunningCheck, PassesWhenDreamAndRealityAgree) {
  const auto real = panel({1, 0, 1, 0, 1, 0, 1, 0});
  const auto check = free_running_check(panel({0, 1, 1, 0, 1, 0, 1, 0}), &real, nullptr, 0.15);
  EXPECT_TRUE(check.passed);
  EXPECT_DOUBLE_EQ(check.gap->value, 0.0);
}

TEST(FreeRunningCheck, StopsAnOptimisticDreamAndSaysWhatToDo) {
  const auto real = panel({1, 0, 0, 0, 1, 0, 0, 0});
  const auto check = free_running_check(panel({1, 1, 1, 1, 1, 1, 1, 0}), &real, nullptr, 0.15);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.verdict.find("--force"), std::string::npos);
  EXPECT_NE(check.verdict.find("+62 points"), std::string::npos) << check.verdict;
}

TEST(FreeRunningCheck, StopsAPessimisticDreamToo) {
  const auto real = panel({1, 1, 1, 1, 1, 1, 0, 0});
  EXPECT_FALSE(free_running_check(panel({0, 0, 0, 0, 0, 0, 0, 0}), &real, nullptr, 0.15).passed);
}

TEST(FreeRunningCheck, FallsBackToTheRuleCheckWithoutAReality) {
  const Doubter doubter;
  const auto check = free_running_check(panel({1, 1, 0, 0}), nullptr, &doubter, 0.15);
  EXPECT_FALSE(check.passed);
  EXPECT_DOUBLE_EQ(*check.confirmed_share, 0.0);
  EXPECT_DOUBLE_EQ(*check.contradictions_per_episode, 1.0);
  EXPECT_EQ(check.first_contradiction, "step 2: a mug out of nowhere");
  EXPECT_TRUE(free_running_check(panel({1, 0}), nullptr, nullptr, 0.15).passed);
}

}  // namespace
}  // namespace dreamgym
