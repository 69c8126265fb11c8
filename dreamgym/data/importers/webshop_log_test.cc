#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/data/import.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

namespace fs = std::filesystem;

std::vector<Trajectory> import_text(LogFormat format, const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.path() / "log.jsonl", text);
  const std::vector<fs::path> files = {folder.path() / "log.jsonl"};
  std::vector<Trajectory> out;
  import_trajectories(
      format, files, {}, [&](Trajectory trajectory) { out.push_back(std::move(trajectory)); });
  return out;
}

TEST(WebshopLog, TurnsThoughtsIntoThoughtsAndKeepsTheBenchmarksSplit) {
  const auto episodes = import_text(
      LogFormat::kWebshopLog,
      R"({"env":"webshop","task":"red boots","goal_index":7,"source":"a/b@c:d","steps":[)"
      R"({"state":"A","action":"think[boots]","next_state":"OK.","reward":0,"done":false},)"
      R"({"state":"A","action":"search[boots]","next_state":{"page":"x"},"reward":0,"done":false},)"
      R"({"state":"B","action":"click[z]","next_state":"Invalid action!","reward":0,"done":false},)"
      R"({"state":"B","action":"click[buy now]","next_state":"C","reward":0.5,"done":true}]})");
  ASSERT_EQ(episodes.size(), 1U);
  const Trajectory& episode = episodes[0];
  EXPECT_EQ(episode.task.split, "test");
  EXPECT_EQ(episode.task.settings.at("session"), "7");
  ASSERT_EQ(episode.steps.size(), 3U);
  EXPECT_EQ(episode.steps[0].thought, "boots");
  EXPECT_EQ(episode.steps[0].next_observation.text, R"({"page":"x"})");
  EXPECT_FALSE(episode.steps[1].action_valid);
  EXPECT_EQ(episode.outcome, Outcome::kFailure);
  EXPECT_EQ(episode.episode_return, 0.5);
  EXPECT_THROW(import_text(LogFormat::kWebshopLog, R"({"task":"t","steps":[]})"), Error);
}

TEST(WebshopHuman, FindsTheActionsBetweenThePages) {
  const std::string goal = R"("goal":{"asin":"B1","instruction_text":"red boots"})";
  const auto episodes = import_text(
      LogFormat::kWebshopHuman,
      R"({"page":"index","url":"u",)" + goal + "}\n" +
          R"({"page":"search_results","content":{"keywords":["red","boots"],"page":1}})"
          "\n"
          R"({"page":"search_results","content":{"keywords":["red","boots"],"page":2}})"
          "\n"
          R"({"page":"search_results","content":{"keywords":["red","boots"],"page":1}})"
          "\n"
          R"({"page":"item_page","content":{"keywords":"['red']","page":"1","asin":"B1","options":{}}})"
          "\n"
          R"({"page":"item_page","content":{"asin":"B1","options":{"color":"red"}}})"
          "\n"
          R"({"page":"item_sub_page","url":"h/item_sub_page/s/B1/k/1/Features/{}","content":{}})"
          "\n"
          R"({"page":"item_page","content":{"asin":"B1","options":{"color":"red"}}})"
          "\n"
          R"({"page":"search_results","content":{"keywords":["red","boots"],"page":1}})"
          "\n"
          R"({"page":"item_page","content":{"asin":"B2","options":{}}})"
          "\n"
          R"({"page":"index"})"
          "\n"
          R"({"page":"done","content":{"asin":"B2","price":3},"reward":1.0})"
          "\n");
  ASSERT_EQ(episodes.size(), 1U);
  std::vector<Action> actions;
  for (const Transition& step : episodes[0].steps) {
    actions.push_back(step.action);
  }
  EXPECT_EQ(actions,
            (std::vector<Action>{"search[red boots]",
                                 "click[next >]",
                                 "click[< prev]",
                                 "click[b1]",
                                 "click[red]",
                                 "click[features]",
                                 "click[< prev]",
                                 "click[< prev]",
                                 "click[b2]",
                                 "click[back to search]",
                                 "click[buy now]"}));
  EXPECT_EQ(episodes[0].task.instruction, "red boots");
  EXPECT_EQ(episodes[0].task.world, "webshop");
  EXPECT_TRUE(episodes[0].success());
  EXPECT_THROW(import_text(LogFormat::kWebshopHuman, "{\"page\":\"index\"}\n"), Error);
  EXPECT_THROW(import_text(LogFormat::kWebshopHuman, "{\"url\":3}\n{}\n"), Error);
}

TEST(WebshopLog, ReadsEveryRealEpisode) {
  const char* folder = std::getenv("DREAMGYM_DATA");  // NOLINT(concurrency-mt-unsafe): tests
  const fs::path data = folder != nullptr
                            ? fs::path(folder)
                            : fs::path(DREAMGYM_SOURCE_DIR) / ".." / "shared" / "data";
  const std::vector<fs::path> files = {data / "webshop" / "logs" / "episodes.jsonl"};
  if (!fs::exists(files[0])) {
    GTEST_SKIP() << "no data at " << files[0];
  }
  std::size_t successes = 0;
  std::size_t held_out = 0;
  const ImportReport report =
      import_trajectories(LogFormat::kWebshopLog, files, {}, [&](const Trajectory& episode) {
        successes += episode.success() ? 1 : 0;
        held_out += episode.task.split == "test" ? 1 : 0;
      });
  EXPECT_EQ(report.episodes, 556U);
  EXPECT_EQ(report.bad_records, 0U);
  EXPECT_GT(held_out, 400U);
  EXPECT_GT(successes, 100U);
}

}  // namespace
}  // namespace dreamgym
