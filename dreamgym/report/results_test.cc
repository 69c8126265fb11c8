#include "dreamgym/report/results.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

RunResults example() {
  RunResults results;
  results.world = "alfworld";
  results.summary = "It learns.";
  results.arms = {{"start", 0.357, 0.28, 0.44, 140, 1200, 0, 500'000, 12.5, "60 demonstrations"},
                  {"dream", 0.586, 0.5, 0.66, 140, 1200, 90'000, 9'000'000'000, 600, ""}};
  results.paired = {{"dream", "start", 0.229, 0.12, 0.33, 140}};
  results.fidelity = {{"reward_accuracy", 0.99, 700, "on held-out steps"}};
  results.free_running = FreeRunningResult{.n = 96,
                                           .dreamed_success = {0.45, 0.35, 0.55},
                                           .real_success = MeasuredShare{0.36, 0.27, 0.46},
                                           .gap = MeasuredShare{0.09, 0.01, 0.17},
                                           .confirmed_share = 0.94,
                                           .contradictions_per_episode = 0.2,
                                           .max_gap = 0.15,
                                           .passed = true,
                                           .forced = false,
                                           .verdict = "close enough"};
  results.alarms = {{"dream", 7, "entropy_collapse", "entropy 0.01 nats"}};
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
  without_reality.free_running->real_success.reset();
  without_reality.free_running->gap.reset();
  EXPECT_EQ(results_from_json(to_json(without_reality)), without_reality);
}

TEST(Results, WriteAnArmAsOneLine) {
  EXPECT_EQ(to_json_line(example().arms[0]),
            R"({"arm":"start","success":0.357,"ci_low":0.28,"ci_high":0.44,"n":140,)"
            R"("real_steps":1200,"dreamed_steps":0,"tokens":500000,"seconds":12.5,)"
            R"("note":"60 demonstrations"})");
}

TEST(Results, WriteNullForWhatWasNotMeasured) {
  ArmResult arm;
  arm.arm = "dream";
  arm.seconds = std::numeric_limits<double>::infinity();
  const std::string line = to_json_line(arm);
  EXPECT_NE(line.find(R"("success":null)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("seconds":null)"), std::string::npos) << line;
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
  EXPECT_NE(message_of(R"({"free_running":{"gap":3}})", ErrorKind::kParse).find("free_running.gap"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"arms":[{"n":-4}]})", ErrorKind::kParse).find("arms[0].n"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"version":9})", ErrorKind::kCorrupt).find("version 9, expected 1"),
            std::string::npos);
}

TEST(Results, NameTheFileThatIsMissing) {
  try {
    (void)read_results("/nonexistent/run");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("results.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace dreamgym
