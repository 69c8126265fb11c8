#include "dreamgym/data/trajectory_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/outcome.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

namespace fs = std::filesystem;

/// What the Error says, or "" if there is none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string random_text(Rng& rng) {
  static const std::vector<std::string> pieces = {"a",
                                                  "mug 1",
                                                  " ",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  "\"",
                                                  "\\",
                                                  "/",
                                                  "{",
                                                  "]",
                                                  ";",
                                                  ":",
                                                  "é",
                                                  "漢",
                                                  "😀",
                                                  std::string(1, '\0'),
                                                  "\x01",
                                                  "\x7f",
                                                  "\u2028",
                                                  "</script>",
                                                  "\\u00e9"};
  std::string text;
  for (std::uint64_t i = rng.below(8); i > 0; --i) {
    text += rng.choose(pieces);
  }
  return text;
}

std::vector<std::string> random_texts(Rng& rng) {
  std::vector<std::string> texts(rng.below(4));
  for (std::string& text : texts) {
    text = random_text(rng);
  }
  return texts;
}

std::map<std::string, std::string> random_map(Rng& rng) {
  std::map<std::string, std::string> map;
  for (std::uint64_t i = rng.below(3); i > 0; --i) {
    map[random_text(rng)] = random_text(rng);
  }
  return map;
}

Transition random_step(Rng& rng) {
  Transition step{.observation = {random_text(rng), random_texts(rng)},
                  .action = random_text(rng),
                  .action_valid = rng.below(2) == 0,
                  .reward = rng.normal() * (rng.below(2) == 0 ? 1 : 1e-12),
                  .next_observation = {random_text(rng), random_texts(rng)},
                  .terminated = rng.below(2) == 0,
                  .truncated = rng.below(2) == 0,
                  .reasoning_trace = random_text(rng),
                  .demonstrations = random_texts(rng),
                  .confidence = std::nullopt,
                  .thought = random_text(rng),
                  .info = random_map(rng)};
  if (rng.below(2) == 0) {
    step.confidence = rng.uniform();
  }
  return step;
}

Trajectory random_trajectory(Rng& rng) {
  Trajectory trajectory{.episode_id = random_text(rng),
                        .task = {.id = random_text(rng),
                                 .instruction = random_text(rng),
                                 .world = random_text(rng),
                                 .split = random_text(rng),
                                 .source = random_text(rng),
                                 .parent_task = random_text(rng),
                                 .seed = rng.next(),
                                 .settings = random_map(rng)},
                        .seed = rng.next(),
                        .provenance = rng.below(2) == 0 ? Provenance::kReal : Provenance::kDreamed,
                        .policy_version = random_text(rng),
                        .simulator_version = random_text(rng),
                        .steps = std::vector<Transition>(rng.below(5)),
                        .outcome = static_cast<Outcome>(rng.below(4)),
                        .episode_return = rng.normal()};
  for (Transition& step : trajectory.steps) {
    step = random_step(rng);
  }
  return trajectory;
}

TEST(TrajectoryJson, ReadsBackWhatItWrote) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Trajectory trajectory = random_trajectory(rng);
    const std::string line = to_json_line(trajectory);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(trajectory_from_json(line), trajectory) << "seed " << seed << ": " << line;
  }
}

TEST(TrajectoryJson, IsTheLineItsFormatPageShows) {
  const Trajectory trajectory{
      .episode_id = "e1",
      .task = {.id = "t1", .instruction = "open the chest", .world = "toy", .split = "train"},
      .seed = 7,
      .policy_version = "expert",
      .steps = {{.observation = {"A room.", {"look"}},
                 .action = "look",
                 .reward = 1,
                 .next_observation = {"Done.", {}},
                 .terminated = true,
                 .info = {{"won", "true"}}}},
      .outcome = Outcome::kSuccess,
      .episode_return = 1};
  const std::string page = read_file(fs::path(DREAMGYM_SOURCE_DIR) / "docs/formats/trajectory.md");
  EXPECT_TRUE(contains(page, "\n" + to_json_line(trajectory) + "\n")) << to_json_line(trajectory);
}

TEST(TrajectoryJson, FillsInWhatIsMissing) {
  const Trajectory trajectory = trajectory_from_json(
      R"({"steps":[{"action_text":"a","state_text":"s0","reward":0.25},)"
      R"({"action_text":"b","state_text":"s1","admissible":["x"],"next_state_text":"s2"}],)"
      R"("outcome":{"success":true},"later_key":[1]})");
  EXPECT_EQ(trajectory.steps[0].next_observation, (Observation{"s1", {"x"}}));
  EXPECT_EQ(trajectory.steps[1].next_observation, (Observation{"s2", {}}));
  EXPECT_TRUE(trajectory.steps[0].action_valid);
  EXPECT_EQ(trajectory.outcome, Outcome::kSuccess);
  EXPECT_EQ(trajectory.episode_return, 0.25);
}

TEST(TrajectoryJson, NamesTheKeyWhatItExpectedAndWhatItGot) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"([1])", "the record: expected an object, got a list ([1])"},
      {R"({})", R"(key "steps": expected a list, got nothing)"},
      {R"({"steps":{}})", R"(key "steps": expected a list, got an object ({}))"},
      {R"({"steps":[3]})", R"(key "steps[0]": expected an object, got a number (3))"},
      {R"({"steps":[{}]})", R"(key "steps[0].action_text": expected a string, got nothing)"},
      {R"({"steps":[{"action_text":"a","reward":"1"}]})",
       R"(key "steps[0].reward": expected a finite number, got a string ("1"))"},
      {R"({"steps":[{"action_text":"a","admissible":["x",2]}]})",
       R"(key "steps[0].admissible[1]": expected a string, got a number (2))"},
      {R"({"steps":[{"action_text":"a","terminated":1}]})",
       R"(key "steps[0].terminated": expected true or false, got a number (1))"},
      {R"({"steps":[{"action_text":"a","t":4}]})",
       R"(key "steps[0].t": expected 0 (steps are in order from 0), got a number (4))"},
      {R"({"steps":[],"seed":-1})",
       R"(key "seed": expected a whole number from 0 to 2^64 - 1, got a number (-1))"},
      {R"({"steps":[],"provenance":"made up"})",
       R"(key "provenance": expected "real" or "dreamed", got a string ("made up"))"},
      {R"({"steps":[],"outcome":{"kind":"won"}})",
       R"(key "outcome.kind": expected success, failure, truncated or infrastructure_error)"},
      {R"({"steps":[],"version":2})", R"(key "version": expected 1, got 2)"},
      {R"({"steps":[)", "not valid JSON: it breaks off after byte 10"},
      {"{\"steps\":[],\"a\":\"\xff\"}", "byte 18 is not valid UTF-8 (0xff)"},
      {R"({"steps":[],"seed":1e999})", "not usable JSON"},
  };
  for (const auto& [line, message] : cases) {
    const std::string error = error_of([&] { trajectory_from_json(line); });
    EXPECT_TRUE(contains(error, message)) << line << "\n  said: " << error;
  }
}

TEST(TrajectoryJson, WritesBytesThatAreNoUtf8AsReplacementCharacters) {
  Trajectory trajectory;
  trajectory.steps.push_back({.action = "go \xff"});
  EXPECT_EQ(trajectory_from_json(to_json_line(trajectory)).steps[0].action, "go \uFFFD");
}

TEST(TrajectoryJson, RefusesARewardThatIsNotFinite) {
  Trajectory trajectory;
  trajectory.steps.push_back({.reward = std::numeric_limits<double>::infinity()});
  EXPECT_THROW(to_json_line(trajectory), LogicError);
}

TEST(TrajectoryJson, SurvivesDeepNesting) {
  const std::string line =
      R"({"steps":[],"x":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_TRUE(trajectory_from_json(line).steps.empty());
}

TEST(TrajectoryFile, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "episodes.jsonl";
  Rng rng(3);
  std::vector<Trajectory> trajectories;
  for (int i = 0; i < 20; ++i) {
    trajectories.push_back(random_trajectory(rng));
  }
  write_trajectories(path, trajectories);
  EXPECT_EQ(read_trajectories(path), trajectories);
}

TEST(TrajectoryFile, ReadsLinesOfManyMegabytes) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "long.jsonl";
  Trajectory trajectory{.steps = {{.action = std::string(2 << 20, 'x')}}};
  write_trajectories(path, {trajectory, trajectory});
  EXPECT_EQ(read_trajectories(path), (std::vector{trajectory, trajectory}));
}

TEST(TrajectoryFile, SaysHowAFileOfAnotherFormatIsImported) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "chats.jsonl";
  write_file(path, "{\"messages\":[]}\n");
  const std::string error = error_of([&] { read_trajectories(path); });
  EXPECT_TRUE(contains(error, "dreamgym import --format messages")) << error;
  write_file(path, "{\"something\":[]}\n");
  EXPECT_FALSE(contains(error_of([&] { read_trajectories(path); }), "hint")) << "a guess would mislead";
}

TEST(TrajectoryFile, NamesPathAndLineOfABrokenLine) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "broken.jsonl";
  write_file(path, "{\"steps\":[]}\n\n{\"steps\":3}\n");
  const std::string error = error_of([&] { read_trajectories(path); });
  EXPECT_TRUE(contains(error, path.string() + ":3: key \"steps\": expected a list")) << error;
  EXPECT_TRUE(contains(error, "--skip-bad")) << error;
}

TEST(TrajectoryFile, NamesLineAndByteOfInvalidUtf8) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "bytes.jsonl";
  write_file(path, "{\"steps\":[]}\n{\"steps\":[],\"episode_id\":\"\xc3\x28\"}\n");
  const std::string error = error_of([&] { read_trajectories(path); });
  EXPECT_TRUE(contains(error, path.string() + ":2: byte 27 is not valid UTF-8 (0xc3)")) << error;
}

TEST(TrajectoryFile, SkipsAndCountsBrokenLinesWhenAskedTo) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "broken.jsonl";
  write_file(path, "nonsense\n{\"steps\":[],\"episode_id\":\"a\"}\n{\"steps\":[{}]}\n");
  ReadReport report;
  const auto trajectories = read_trajectories(path, {.skip_bad = true}, &report);
  ASSERT_EQ(trajectories.size(), 1);
  EXPECT_EQ(trajectories[0].episode_id, "a");
  EXPECT_EQ(report.lines, 3);
  EXPECT_EQ(report.bad_lines, 2);
  EXPECT_TRUE(report.first_error.starts_with(path.string() + ":1: ")) << report.first_error;
}

TEST(TrajectoryFile, RefusesAnEmptyFileAndOneWithNothingGood) {
  const TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  write_file(folder / "empty.jsonl", "\n \n");
  EXPECT_TRUE(contains(error_of([&] { read_trajectories(folder / "empty.jsonl"); }), "empty file"));
  write_file(folder / "bad.jsonl", "x\ny\n");
  const std::string error =
      error_of([&] { read_trajectories(folder / "bad.jsonl", {.skip_bad = true}); });
  EXPECT_TRUE(contains(error, "none of its 2 records is good")) << error;
  EXPECT_THROW(read_trajectories(folder / "missing.jsonl"), Error);
}

TEST(Outcome, HasANameThatIsReadBack) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(outcome_from_name(outcome_name(static_cast<Outcome>(i))), static_cast<Outcome>(i));
  }
  EXPECT_EQ(outcome_from_name("won"), std::nullopt);
}

TEST(Outcome, FollowsFromTheLastStep) {
  EXPECT_EQ(outcome_of_last({.reward = 1, .terminated = true}), Outcome::kSuccess);
  EXPECT_EQ(outcome_of_last({.reward = 0.5, .terminated = true}), Outcome::kFailure);
  EXPECT_EQ(outcome_of_last({.reward = 1, .truncated = true}), Outcome::kTruncated);
  Trajectory trajectory{.steps = {{.reward = 0.5}, {.reward = 1, .terminated = true}}};
  settle_outcome(trajectory);
  EXPECT_EQ(trajectory.episode_return, 1.5);
  EXPECT_TRUE(trajectory.success());
}

}  // namespace
}  // namespace dreamgym
