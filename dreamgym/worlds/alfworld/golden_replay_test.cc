// Replays the reference engine's own transcripts and real logs, byte for byte.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/real_data.h"

namespace dreamgym::alfworld {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct Tally {
  std::size_t transcripts = 0;
  std::size_t steps = 0;
};

void expect_admissible(const AlfredGame& game, const GameState& state, const Json& expected) {
  std::vector<std::string> commands;
  list_commands(game, state, commands);
  EXPECT_EQ(commands, expected.get<std::vector<std::string>>());
}

void replay_transcript(const Json& transcript, Tally& tally) {
  const auto game =
      load_game(real_split_folder(transcript["split"]) / transcript["game"].get<std::string>());
  GameState state = game->initial;
  EXPECT_EQ(game->opening_text, transcript["intro"].get<std::string>());
  expect_admissible(*game, state, transcript["admissible_commands"]);
  EXPECT_EQ(goal_reached(*game, state), transcript["won"].get<bool>());
  for (const Json& step : transcript["steps"]) {
    std::string reply;
    play_command(*game, state, step["command"].get<std::string>(), reply);
    ASSERT_EQ(reply, step["observation"].get<std::string>()) << "after " << step["command"];
    expect_admissible(*game, state, step["admissible_commands"]);
    ASSERT_EQ(goal_reached(*game, state), step["won"].get<bool>()) << "after " << step["command"];
    ASSERT_EQ(goal_reached(*game, state) ? 1 : 0, step["score"].get<int>());
    ++tally.steps;
  }
  ++tally.transcripts;
}

TEST(GoldenReplay, GivesEveryByteOfTheReferenceEnginesTranscripts) {
  const fs::path folder = real_data_folder() / "golden";
  if (!fs::exists(folder)) {
    GTEST_SKIP() << "no data at " << folder;
  }
  Tally tally;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") {
      continue;
    }
    for_each_line(entry.path(), [&](std::size_t number, std::string_view line) {
      SCOPED_TRACE(entry.path().filename().string() + ":" + std::to_string(number));
      replay_transcript(Json::parse(line), tally);
      return true;
    });
  }
  RecordProperty("steps", static_cast<int>(tally.steps));
  EXPECT_EQ(tally.transcripts, 49U);
  EXPECT_EQ(tally.steps, 1032U);
}

/// ReAct-style clients cut "You arrive at loc 24. " off.
std::string_view without_arrival(std::string_view reply) {
  if (reply.starts_with("You arrive at ")) {
    reply.remove_prefix(reply.find(". ") + 2);
  }
  return reply;
}

/// A game file is generated with one of its type's two sentences, drawn anew each time; the logs'
/// files were other draws of the same games, so the sentence may be the other one.
std::string opening_of_logs(const AlfredGame& game, const std::string& sentence) {
  EXPECT_EQ(parse_task_sentence(sentence), game.goal);
  return game.opening_room + "\nYour task is to: " + sentence;
}

std::size_t replay_log(const Json& episode, const fs::path& path) {
  const auto game = load_game(path, {.dialect = Dialect::kV03});
  GameState state = game->initial;
  EXPECT_EQ(opening_of_logs(*game, episode["task"].get<std::string>()),
            episode["init"].get<std::string>());
  std::size_t steps = 0;
  for (const Json& step : episode["steps"]) {
    std::string reply;
    play_command(*game, state, step["action"].get<std::string>(), reply);
    EXPECT_EQ(without_arrival(reply), step["next_state"].get<std::string>())
        << "step " << steps << ": " << step["action"];
    ++steps;
  }
  EXPECT_EQ(goal_reached(*game, state), episode["success"].get<bool>());
  return steps;
}

TEST(GoldenReplay, GivesEveryByteOfTheLogsWhoseGamesAreThere) {
  const fs::path log = real_data_folder() / "logs" / "episodes.jsonl";
  if (!fs::exists(log)) {
    GTEST_SKIP() << "no data at " << log;
  }
  std::size_t replayed = 0;
  std::size_t steps = 0;
  for_each_line(log, [&](std::size_t number, std::string_view line) {
    const Json episode = Json::parse(line);
    if (!episode["game"].is_string()) {
      return true;
    }
    std::string game = episode["game"].get<std::string>();
    for (const char* split : {"games_2020", "valid_train", "valid_seen"}) {
      const fs::path path = real_split_folder(split) / game / "game.tw-pddl";
      if (fs::exists(path)) {
        SCOPED_TRACE("line " + std::to_string(number));
        steps += replay_log(episode, path);
        ++replayed;
        break;
      }
    }
    return true;
  });
  RecordProperty("episodes", static_cast<int>(replayed));
  RecordProperty("steps", static_cast<int>(steps));
  EXPECT_EQ(replayed, 11U);
}

TEST(GoldenReplay, EveryRealGameLoads) {
  std::size_t games = 0;
  for (const char* split : {"games_2020", "valid_train", "valid_seen"}) {
    const fs::path folder = real_split_folder(split);
    if (!fs::exists(folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().filename() == "game.tw-pddl") {
        const auto game = load_game(entry.path());
        EXPECT_EQ(parse_task_sentence(game->task), game->goal) << game->task;
        ++games;
      }
    }
  }
  if (games == 0) {
    GTEST_SKIP() << "no data at " << real_data_folder();
  }
  EXPECT_EQ(games, 394U);
}

}  // namespace
}  // namespace dreamgym::alfworld
