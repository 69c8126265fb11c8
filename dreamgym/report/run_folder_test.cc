#include "dreamgym/report/run_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {
namespace {

class RunFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("run_folder_{}", getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const char* file, const std::string& text) const { write_file(folder_ / file, text); }

  Path folder_;
};

std::string episode_line(const std::string& id, Outcome outcome, Provenance provenance) {
  Trajectory episode;
  episode.episode_id = id;
  episode.outcome = outcome;
  episode.provenance = provenance;
  episode.steps.resize(1);
  episode.steps[0].action = "look";
  return to_json_line(episode) + "\n";
}

TEST_F(RunFolder, SaysWhatAnEmptyFolderLacks) {
  const auto contents = read_run_folder(folder_);
  EXPECT_EQ(contents.missing.size(), 5U);
  EXPECT_EQ(contents.missing[3], "metrics.jsonl is not there: no learning curves");
  EXPECT_TRUE(contents.problems.empty());
  EXPECT_EQ(contents.name, folder_.filename().string());
}

TEST_F(RunFolder, RefusesAFolderThatIsNotThere) {
  try {
    (void)read_run_folder(folder_ / "nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
}

TEST_F(RunFolder, ReadsMetricsAsSeriesAndNamesBrokenLines) {
  write("metrics.jsonl",
        "{\"phase\":\"dream\",\"step\":1,\"values\":{\"train/loss\":0.5,\"a/b\":1}}\n"
        "{\"phase\":\"dream\",\"step\":2,\"values\":{\"train/loss\":null}}\n"
        "\n"
        "{\"phase\":\"dream\",\"step\n"
        "{\"phase\":\"dream\",\"values\":{}}\n"
        "{\"phase\":\"dream\",\"step\":3,\"values\":{\"a/b\":2,\"train/loss\":\"x\"}}\n"
        "{\"phase\":\"real\",\"step\":1,\"values\":{\"train/loss\":0.25}}\n");
  const auto contents = read_run_folder(folder_);
  ASSERT_EQ(contents.metrics.size(), 3U);
  std::map<std::string, MetricSeries> series;
  for (const auto& one : contents.metrics) {
    series[one.phase + ":" + one.name] = one;
  }
  const auto& loss = series.at("dream:train/loss").points;
  ASSERT_EQ(loss.size(), 2U);
  EXPECT_EQ(loss[0], (std::pair<std::uint64_t, double>(1, 0.5)));
  EXPECT_TRUE(std::isnan(loss[1].second));
  // Nothing of a broken line is taken.
  EXPECT_EQ(series.at("dream:a/b").points.size(), 1U);
  EXPECT_EQ(series.at("real:train/loss").points.size(), 1U);
  ASSERT_EQ(contents.problems.size(), 3U);
  EXPECT_NE(contents.problems[0].find("metrics.jsonl line 4: "), std::string::npos);
  EXPECT_NE(contents.problems[1].find("metrics.jsonl line 5: expected {\"phase\""),
            std::string::npos);
  EXPECT_NE(contents.problems[2].find("metrics.jsonl line 6: "), std::string::npos);
}

TEST_F(RunFolder, NamesTheFirstBrokenLinesAndCountsTheRest) {
  std::string text;
  for (int i = 0; i < 9; ++i) {
    text += "broken\n";
  }
  write("episodes.jsonl", text + episode_line("a", Outcome::kSuccess, Provenance::kReal));
  const auto contents = read_run_folder(folder_, {.max_problems_per_file = 2});
  EXPECT_EQ(contents.num_episodes, 1U);
  ASSERT_EQ(contents.problems.size(), 3U);
  EXPECT_NE(contents.problems[1].find("episodes.jsonl line 2: "), std::string::npos);
  EXPECT_EQ(contents.problems[2], "episodes.jsonl: 7 more lines that could not be read (9 in all)");
}

TEST_F(RunFolder, KeepsAnEvenSelectionOfEveryKindInFileOrder) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += episode_line(fmt::format("dream/{}/e", i), Outcome::kFailure, Provenance::kDreamed);
  }
  for (int i = 0; i < 3; ++i) {
    text += episode_line(fmt::format("s2r/{}/e", i), Outcome::kSuccess, Provenance::kReal);
  }
  write("episodes.jsonl", text);
  const auto contents = read_run_folder(folder_, {.max_episodes = 20});
  EXPECT_EQ(contents.num_episodes, 303U);
  ASSERT_EQ(contents.episodes.size(), 20U);
  // Three of the rare kind, seventeen spread over the whole of the other.
  int first_half = 0;
  int last = -1;
  for (std::size_t i = 0; i < 17; ++i) {
    const int number = std::stoi(contents.episodes[i].episode_id.substr(6));
    EXPECT_GT(number, last);
    last = number;
    first_half += number < 150 ? 1 : 0;
  }
  EXPECT_GE(first_half, 7);
  EXPECT_LE(first_half, 10);
  EXPECT_EQ(contents.episodes[19].episode_id, "s2r/2/e");
}

TEST_F(RunFolder, GoesOnWhereAFileIsDamaged) {
  write("run.json", "[1, 2]");
  write("results.json", "{\"arms\": 3}");
  write("config.toml", "seed = 1\n");
  const auto contents = read_run_folder(folder_);
  EXPECT_EQ(contents.run_json, "");
  EXPECT_EQ(contents.config_toml, "seed = 1\n");
  ASSERT_EQ(contents.problems.size(), 2U);
  EXPECT_EQ(contents.problems[0], "run.json: not a JSON object");
  EXPECT_NE(contents.problems[1].find("arms is 3, expected a list"), std::string::npos);
}

TEST(ArmOf, IsTheFrontOfTheEpisodeIdOrThePolicysName) {
  const auto arm = [](const char* id, const char* policy) {
    Trajectory episode;
    episode.episode_id = id;
    episode.policy_version = policy;
    return arm_of(episode);
  };
  EXPECT_EQ(arm("dream/12/e3", "x"), "dream");
  EXPECT_EQ(arm("e3", "expert"), "expert");
  EXPECT_EQ(arm("e3", "grpo-12"), "grpo");
  EXPECT_EQ(arm("e3", "nano@1f3c/step-12"), "nano");
  EXPECT_EQ(arm("/e3", "s2r"), "s2r");
  EXPECT_EQ(arm("e3", "12"), "12");
  EXPECT_EQ(arm("", ""), "unknown");
}

}  // namespace
}  // namespace dreamgym
