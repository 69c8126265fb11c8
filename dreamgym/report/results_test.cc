#include "dreamgym/report/results.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

RunResults example() {
  RunResults results;
  results.world = "alfworld";
  results.seed = 3;
  ArmResult start;
  start.arm = "start";
  start.title = "SFT policy (the start)";
  start.success = {0.357, 0.28, 0.44};
  start.num_tasks = 140;
  start.by_type = {{"pick_and_place", {0.5, 0.25, 0.75}}};
  start.offline_steps = 1200;
  start.tokens = 500'000;
  start.seconds = 12.5;
  start.note = "60 demonstrations";
  ArmResult dream;
  dream.arm = "dream";
  dream.success = {0.586, 0.5, 0.66};
  dream.num_tasks = 140;
  dream.real_steps = 5;
  dream.dreamed_steps = 90'000;
  dream.tokens = 9'000'000'000;
  results.arms = {start, dream};
  results.paired = {{"dream", "start", {0.229, 0.12, 0.33}, 140}};
  results.fidelity = {{"reward_correct", 0.99}, {"missed_successes", 4}};
  results.fidelity_misses = {"go to desk 1 | On the desk 1 | On the desk 2"};
  results.check = CheckResult{.num_tasks = 96,
                              .dreamed_success = {0.45, 0.35, 0.55},
                              .real_success = Interval{0.36, 0.27, 0.46},
                              .gap = Interval{0.09, 0.01, 0.17},
                              .confirmed_share = 0.94,
                              .contradictions_per_episode = 0.2,
                              .second_looks_agree = 0.9,
                              .logged_success = Interval{0.5, 0.4, 0.6},
                              .above_logs = Interval{0.1, 0.02, 0.2},
                              .passed = true,
                              .verdict = "close enough"};
  results.notes = {"one seed"};
  return results;
}

std::string message_of(std::string_view text, ErrorKind kind) {
  try {
    (void)results_from_json(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no Error";
}

TEST(Results, ComeBackFromTheirJson) {
  EXPECT_EQ(results_from_json(to_json(example())), example());
  EXPECT_EQ(results_from_json(to_json(RunResults{})), RunResults{});
  auto without_reality = example();
  without_reality.real_evaluation = false;
  without_reality.check->real_success.reset();
  without_reality.check->gap.reset();
  EXPECT_EQ(results_from_json(to_json(without_reality)), without_reality);
}

TEST(Results, WriteRowsWithPlainNumbers) {
  std::string text = to_json(example());
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(text.find(R"("success":0.357,"ci_low":0.28,"ci_high":0.44,"n":140,)"
                      R"("offline_steps":1200,"real_steps":0,"dreamed_steps":0,"tokens":500000)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("difference":0.229,"ci_low":0.12,"ci_high":0.33,"n":140)"),
            std::string::npos)
      << text;
}

TEST(Results, WriteNullForWhatWasNotMeasured) {
  RunResults results;
  results.arms.resize(1);
  results.arms[0].seconds = std::numeric_limits<double>::infinity();
  results.fidelity["x"] = std::numeric_limits<double>::quiet_NaN();
  const std::string text = to_json(results);
  EXPECT_NE(text.find(R"("success": null)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("seconds": null)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("x": null)"), std::string::npos) << text;
  EXPECT_EQ(results_from_json(text).arms[0].seconds, 0);
}

TEST(Results, TakeBytesThatAreNoText) {
  auto results = example();
  results.arms[0].note = "\xff</script>";
  EXPECT_NE(results_from_json(to_json(results)).arms[0].note.find("</script>"), std::string::npos);
}

TEST(Results, NameTheKeyThatIsWrong) {
  EXPECT_NE(message_of("{", ErrorKind::kParse).find("not JSON"), std::string::npos);
  EXPECT_NE(message_of("[1]", ErrorKind::kParse).find("expected an object"), std::string::npos);
  const std::string message =
      message_of(R"({"arms":[{"arm":"a"},{"arm":"b","success":"high"}]})", ErrorKind::kParse);
  EXPECT_NE(message.find(R"(arms[1].success is "high", expected a number)"), std::string::npos)
      << message;
  EXPECT_NE(message_of(R"({"check":{"gap":3}})", ErrorKind::kParse).find("check.gap"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"fidelity":{"x":"y"}})", ErrorKind::kParse).find("fidelity.x"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"notes":[1]})", ErrorKind::kParse).find("notes[0]"), std::string::npos);
  EXPECT_NE(message_of(R"({"arms":[{"n":-4}]})", ErrorKind::kParse).find("arms[0].n"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"version":9})", ErrorKind::kCorrupt).find("version 9, expected 1"),
            std::string::npos);
}

TEST(Results, AreNothingWhereThereIsNoFile) {
  EXPECT_EQ(read_results("/nonexistent/run"), std::nullopt);
}

}  // namespace
}  // namespace dreamgym
