#include "dreamgym/data/export.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

namespace fs = std::filesystem;

std::string sentence(Rng& rng) {
  static const std::vector<std::string> pieces = {
      "mug 1", "go", "ok", "\n", "\"", "\\", "é", "漢", "😀", "{", "]", ": ", "Rules", "<b>"};
  std::string text = "x";
  for (std::uint64_t i = rng.below(6); i > 0; --i) {
    text += rng.choose(pieces);
  }
  return text + "y";
}

/// What a dialogue can say: no admissible actions, one reward at the end.
Trajectory random_dialogue(Rng& rng, int index) {
  Trajectory trajectory{.episode_id = "e" + std::to_string(index),
                        .task = {.id = "t" + std::to_string(rng.below(5)),
                                 .instruction = sentence(rng),
                                 .world = "toy",
                                 .split = "train",
                                 .source = "s"},
                        .policy_version = "expert"};
  if (rng.below(2) == 0) {
    trajectory.task.settings = {{"system", sentence(rng)}, {"tools", R"([{"name":"go"}])"}};
  }
  std::string seen = sentence(rng);
  for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) {
    const std::string next = sentence(rng);
    trajectory.steps.push_back({.observation = {seen},
                                .action = rng.below(4) == 0 ? "OK " + sentence(rng) : sentence(rng),
                                .next_observation = {next},
                                .thought = rng.below(2) == 0 ? sentence(rng) : ""});
    seen = next;
  }
  Transition& last = trajectory.steps.back();
  trajectory.outcome = static_cast<Outcome>(rng.below(3));
  last.terminated = trajectory.outcome != Outcome::kTruncated;
  last.truncated = !last.terminated;
  last.reward = trajectory.success() ? 1 : 0.25;
  trajectory.episode_return = last.reward;
  return trajectory;
}

class RoundTrip : public testing::TestWithParam<LogFormat> {};

TEST_P(RoundTrip, GivesBackWhatADialogueCanSay) {
  std::vector<Trajectory> trajectories;
  for (int i = 0; i < 100; ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    trajectories.push_back(random_dialogue(rng, i));
  }
  const TemporaryFolder folder;
  const std::vector<fs::path> files = {folder.path() / "log"};
  export_trajectories(GetParam(), files[0], trajectories);
  std::vector<Trajectory> read;
  const ImportReport report = import_trajectories(
      GetParam(), files, {}, [&](Trajectory trajectory) { read.push_back(std::move(trajectory)); });
  EXPECT_EQ(report.unknown_outcomes, 0);
  ASSERT_EQ(read.size(), trajectories.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i].task.source = "s";
    EXPECT_EQ(read[i], trajectories[i]) << export_record(GetParam(), trajectories[i]) << "\n"
                                        << export_record(GetParam(), read[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         RoundTrip,
                         testing::Values(LogFormat::kCanonical,
                                         LogFormat::kMessages,
                                         LogFormat::kShareGpt,
                                         LogFormat::kAgentGym),
                         [](const auto& param) {
                           return std::string(log_format_name(param.param));
                         });

TEST(Export, StatesTheTaskWhereTheFirstObservationDoesNot) {
  Trajectory trajectory{.task = {.instruction = "win"},
                        .steps = {{.observation = {"A room."}, .action = "go"}}};
  EXPECT_TRUE(contains(export_record(LogFormat::kMessages, trajectory),
                       R"({"role":"system","content":"Your task is to: win."})"));
  trajectory.steps[0].observation.text = "You have to win.";
  EXPECT_FALSE(contains(export_record(LogFormat::kMessages, trajectory), "system"));
}

TEST(Export, WritesAnEmptyListForNoTrajectories) {
  const TemporaryFolder folder;
  export_trajectories(LogFormat::kShareGpt, folder.path() / "log", {});
  EXPECT_EQ(read_file(folder.path() / "log"), "[\n]\n");
}

TEST(Export, RefusesAFormatThatIsOnlyRead) {
  EXPECT_THROW(export_record(LogFormat::kAlfworldLog, {}), Error);
}

}  // namespace
}  // namespace dreamgym
