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
  const auto check = free_running_check(panel({0, 1, 1, 0, 1, 0, 1, 0}), {.real = &real}, 0.15);
  EXPECT_TRUE(check.passed);
  EXPECT_DOUBLE_EQ(check.gap->value, 0.0);
}

TEST(FreeRunningCheck, StopsAnOptimisticDreamAndSaysWhatToDo) {
  const auto real = panel({1, 0, 0, 0, 1, 0, 0, 0});
  const auto check = free_running_check(panel({1, 1, 1, 1, 1, 1, 1, 0}), {.real = &real}, 0.15);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.verdict.find("--force"), std::string::npos);
  EXPECT_NE(check.verdict.find("+62 points"), std::string::npos) << check.verdict;
}

TEST(FreeRunningCheck, StopsAPessimisticDreamToo) {
  const auto real = panel({1, 1, 1, 1, 1, 1, 0, 0});
  EXPECT_FALSE(free_running_check(panel({0, 0, 0, 0, 0, 0, 0, 0}), {.real = &real}, 0.15).passed);
}

TEST(FreeRunningCheck, FallsBackToTheRuleCheckWithoutAReality) {
  const Doubter doubter;
  const auto check = free_running_check(panel({1, 1, 0, 0}), {.auditor = &doubter}, 0.15);
  EXPECT_FALSE(check.passed);
  EXPECT_DOUBLE_EQ(*check.confirmed_share, 0.0);
  EXPECT_DOUBLE_EQ(*check.contradictions_per_episode, 1.0);
  EXPECT_EQ(check.first_contradiction, "step 2: a mug out of nowhere");
  EXPECT_TRUE(free_running_check(panel({1, 0}), {}, 0.15).passed);
}

std::vector<int> of(int successes, int episodes) {
  std::vector<int> outcomes(static_cast<std::size_t>(episodes), 0);
  std::fill_n(outcomes.begin(), successes, 1);
  return outcomes;
}

// The tickets of docs/your_own_logs.md: 91 of 96 dreamed, 51 of 60 logged.
TEST(FreeRunningCheck, RaisesAnAlarmWhenTheDreamIsKinderThanTheLogs) {
  const auto check =
      free_running_check(panel(of(91, 96)), {.logged_success = wilson_interval(51, 60)}, 0.15);
  EXPECT_TRUE(check.passed);
  ASSERT_EQ(check.alarms.size(), 1U);
  EXPECT_NE(check.alarms[0].find("the dream says 95%, the logs' agents had 85%: +10 points"),
            std::string::npos)
      << check.alarms[0];
}

TEST(FreeRunningCheck, StopsADreamThatIsFarKinderThanTheLogs) {
  const auto check =
      free_running_check(panel(of(90, 96)), {.logged_success = wilson_interval(30, 60)}, 0.15);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.verdict.find("--force"), std::string::npos) << check.verdict;
}

TEST(FreeRunningCheck, IsNotAlarmedByChanceOrByAStricterDream) {
  for (const auto& [dreamed, logged] : std::vector<std::pair<int, int>>{{54, 50}, {10, 50}}) {
    const auto check = free_running_check(
        panel(of(dreamed, 60)), {.logged_success = wilson_interval(static_cast<std::size_t>(logged), 60)}, 0.15);
    EXPECT_TRUE(check.passed) << check.verdict;
    EXPECT_TRUE(check.alarms.empty()) << check.alarms[0];
  }
}

TEST(FreeRunningCheck, ListensToRealityBeforeTheLogs) {
  const auto real = panel(of(58, 60));
  const auto check = free_running_check(
      panel(of(58, 60)), {.real = &real, .logged_success = wilson_interval(20, 60)}, 0.15);
  EXPECT_TRUE(check.passed);
  EXPECT_TRUE(check.alarms.empty());
  EXPECT_GT(check.above_logs->low, 0.3);
}

}  // namespace
}  // namespace dreamgym
