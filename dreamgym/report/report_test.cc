#include "dreamgym/report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/report/internal/page_data.h"

namespace dreamgym {
namespace {

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)> & \"quotes\" \xff <!--";

RunContents hostile_contents() {
  RunContents contents;
  contents.name = kHostile;
  contents.config_toml = kHostile;
  contents.run_json = R"({"commit":"</script>"})";
  contents.results.emplace();
  contents.results->arms.resize(1);
  contents.results->arms[0].title = kHostile;
  contents.results->notes = {kHostile};
  contents.metrics = {{kHostile, kHostile, {{1, 0.5}}}};
  Trajectory episode;
  episode.episode_id = kHostile;
  episode.task.instruction = kHostile;
  episode.steps.resize(1);
  auto& step = episode.steps[0];
  step.observation = {kHostile, {kHostile, "look"}};
  step.action = kHostile;
  step.next_observation.text = kHostile;
  step.reasoning_trace = kHostile;
  step.demonstrations = {kHostile, "known"};
  step.info[kHostile] = kHostile;
  contents.episodes = {episode};
  contents.num_episodes = 1;
  contents.problems = {kHostile};
  return contents;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++found;
  }
  return found;
}

nlohmann::json data_of(const RunContents& contents, const ReportOptions& options = {}) {
  return nlohmann::json::parse(report_internal::page_data(contents, options));
}

TEST(Report, ShowsHostileTextAsCharacters) {
  const std::string page = render_report(hostile_contents());
  // The page's own three scripts end, and nothing else does.
  EXPECT_EQ(count(page, "</script"), 3U);
  EXPECT_EQ(count(page, "<script"), 3U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "<!--"), 0U);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;img src=x"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(Report, KeepsEveryCharacterInItsData) {
  const auto data = data_of(hostile_contents());
  const std::string shown = "</script><img src=x onerror=alert(1)> & \"quotes\" \xef\xbf\xbd <!--";
  EXPECT_EQ(data["episodes"][0]["task"], shown);
  EXPECT_EQ(data["episodes"][0]["steps"][0]["action"], shown);
  EXPECT_EQ(data["episodes"][0]["steps"][0]["trace"], shown);
  EXPECT_EQ(data["results"]["arms"][0]["title"], shown);
  EXPECT_EQ(data["problems"][0], shown);
}

TEST(Report, LoadsNothing) {
  const std::string page = render_report(hostile_contents());
  const std::regex loads(R"((src|href)\s*=\s*["']?(https?:)?//|@import|url\()");
  // Chart.js names its home page in a comment; nothing may be fetched.
  EXPECT_FALSE(std::regex_search(page, loads));
  EXPECT_NE(page.find("Chart.js v3"), std::string::npos);
}

TEST(Report, IsTheSameForTheSameContents) {
  EXPECT_EQ(render_report(hostile_contents()), render_report(hostile_contents()));
}

TEST(Report, LooksUpWhatWasRetrieved) {
  ReportOptions options;
  std::size_t lookups = 0;
  options.find_demonstration = [&](std::string_view id) -> std::optional<ShownDemonstration> {
    ++lookups;
    if (id != "known") {
      return std::nullopt;
    }
    ShownDemonstration shown;
    shown.action = "go to desk 1";
    shown.provenance = Provenance::kDreamed;
    return shown;
  };
  auto contents = hostile_contents();
  contents.episodes[0].steps.push_back(contents.episodes[0].steps[0]);
  const auto data = data_of(contents, options);
  EXPECT_EQ(data["demonstrations"]["known"]["action"], "go to desk 1");
  EXPECT_EQ(data["demonstrations"]["known"]["provenance"], "dreamed");
  EXPECT_EQ(data["demonstrations"].size(), 1U);
  EXPECT_EQ(data["episodes"][0]["steps"][1]["demos"][1], "known");
}

TEST(Report, StoresEachPossibleActionOnce) {
  auto contents = hostile_contents();
  for (int i = 0; i < 5; ++i) {
    contents.episodes[0].steps.push_back(contents.episodes[0].steps[0]);
  }
  const auto data = data_of(contents);
  EXPECT_EQ(data["actions"].size(), 2U);
  EXPECT_EQ(data["episodes"][0]["steps"][3]["admissible"], (std::vector<int>{0, 1}));
}

TEST(Report, ShortensLongTextsListsAndCurves) {
  auto contents = hostile_contents();
  contents.episodes[0].steps[0].next_observation.text = std::string(9000, 'x');
  contents.episodes[0].steps[0].observation.admissible.assign(500, "look");
  contents.metrics[0].points.clear();
  for (std::uint64_t i = 0; i < 5000; ++i) {
    contents.metrics[0].points.emplace_back(i, 0.5);
  }
  ReportOptions options;
  options.max_points = 100;
  options.max_text_bytes = 50;
  options.max_list_items = 7;
  const auto data = data_of(contents, options);
  EXPECT_LE(data["episodes"][0]["steps"][0]["next"].get<std::string>().size(), 53U);
  EXPECT_EQ(data["episodes"][0]["steps"][0]["admissible"].size(), 7U);
  EXPECT_EQ(data["episodes"][0]["steps"][0]["admissible_more"], 493);
  const auto& points = data["metrics"][0]["points"];
  ASSERT_EQ(points.size(), 100U);
  EXPECT_EQ(points[0][0], 0);
  EXPECT_EQ(points[99][0], 4999);
}

TEST(Report, CarriesItsAlarms) {
  RunContents contents;
  contents.metrics = {{"dream", "train/skipped", {{1, 0}, {2, 1}}}};
  EXPECT_EQ(data_of(contents)["alarms"][0]["step"], 2);
  EXPECT_TRUE(data_of(contents)["results"].is_null());
}

TEST(WriteReport, WritesOnePageEvenForAnEmptyFolder) {
  const Path folder = std::filesystem::temp_directory_path() / fmt::format("report_{}", getpid());
  std::filesystem::create_directories(folder);
  write_report(folder);
  const std::string page = read_file(folder / "report.html");
  EXPECT_NE(page.find("metrics.jsonl is not there"), std::string::npos);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(write_report(folder), Error);
}

}  // namespace
}  // namespace dreamgym
