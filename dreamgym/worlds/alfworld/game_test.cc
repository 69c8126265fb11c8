#include "dreamgym/worlds/alfworld/game.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/game_writer.h"
#include "dreamgym/worlds/alfworld/house_generator.h"
#include "tests/temporary_folder.h"

namespace dreamgym::alfworld {
namespace {

using Json = nlohmann::json;

GameDescription some_house(std::uint64_t house = 3) {
  GeneratedId id;
  id.house = house;
  return generate_game(id);
}

std::string some_file() {
  return game_file_text(some_house(), Dialect::kV04);
}

/// The message of the error that reading the file gives; "" if it reads.
std::string error_of(const std::string& file, ErrorKind expected) {
  try {
    parse_game(file, "houses/game.tw-pddl");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), expected) << error.what();
    EXPECT_TRUE(contains(error.what(), "houses/game.tw-pddl")) << error.what();
    EXPECT_TRUE(contains(error.what(), "hint: ")) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "the file was read";
  return "";
}

std::string with(const std::string& file, const std::string& key, const Json& value) {
  Json json = Json::parse(file);
  json[key] = value;
  return json.dump();
}

std::string replaced(const std::string& file,
                     const std::string& key,
                     std::string_view from,
                     std::string_view to) {
  const std::string text = Json::parse(file)[key].get<std::string>();
  EXPECT_TRUE(contains(text, from)) << from;
  return with(file, key, replace_all(text, from, to));
}

TEST(Game, AWrittenFileLoadsToTheSameGame) {
  for (std::uint64_t house = 0; house < 8; ++house) {
    const GameDescription description = some_house(house);
    const TemporaryFolder folder;
    const Path path = write_game(description, folder.path(), Dialect::kV04);
    EXPECT_EQ(parse_game_description(read_file(path), "file"), description);
    const auto loaded = load_game(path);
    const auto built = build_game(description, "memory", Dialect::kV04);
    EXPECT_EQ(loaded->opening_text, built->opening_text);
    EXPECT_EQ(loaded->initial, built->initial);
    EXPECT_EQ(loaded->goal, built->goal);
    std::vector<std::string> first;
    std::vector<std::string> second;
    list_commands(*loaded, loaded->initial, first);
    list_commands(*built, built->initial, second);
    EXPECT_EQ(first, second);
  }
}

TEST(Game, TheTrajectoryDataNamesTaskAndParametersAsAlfredDoes) {
  const GameDescription description = some_house();
  const Json data = Json::parse(trajectory_data_text(description));
  EXPECT_EQ(data["task_type"], task_type_name(description.goal.type));
  EXPECT_EQ(to_lower(data["pddl_params"]["object_target"].get<std::string>()),
            description.goal.object);
}

TEST(Game, NumbersNamesDownwardsInTheOrderOfIds) {
  GameDescription description;
  description.name = "numbers";
  description.locations = {"loc_bar_1", "loc_bar_2", "loc_bar_3"};
  description.receptacles = {{"desk_bar_1", "desk", 0, false, false},
                             {"desk_bar_2", "desk", 1, false, false},
                             {"sink_bar_1_bar_sinkbasin", "sinkbasin", 1, false, false}};
  description.objects = {{"mug_bar_1", "mug", kPickupable, 0, {0}, {0}, {}},
                         {"mug_bar_2", "mug", kPickupable, 0, {0}, {0}, {}}};
  description.agent_location = 2;
  description.goal = {TaskType::kPlace, "mug", "desk", ""};
  description.task = "put a mug in desk.";
  const auto game = build_game(description, "numbers", Dialect::kV04);
  EXPECT_EQ(game->opening_room,
            "You are in the middle of a room. Looking quickly around you, you see a desk 2, a desk "
            "1, and a sinkbasin 1.");
  EXPECT_EQ(game->objects[0].name, "mug 2");
  EXPECT_EQ(game->location_names, (std::vector<std::string>{"loc 3", "loc 2", "loc 1"}));
}

TEST(Game, ATruncatedFileSaysSo) {
  const std::string file = some_file();
  const std::string message = error_of(file.substr(0, file.size() / 2), ErrorKind::kParse);
  EXPECT_TRUE(contains(message, "truncated")) << message;
  EXPECT_TRUE(contains(error_of("", ErrorKind::kParse), "empty"));
}

TEST(Game, AFileThatIsNotJsonSaysSo) {
  EXPECT_TRUE(contains(error_of("(define (problem x))", ErrorKind::kParse), "not JSON"));
  EXPECT_TRUE(contains(error_of("[1, 2]", ErrorKind::kParse), "expected an object"));
}

TEST(Game, AMissingKeyIsNamed) {
  for (const char* key : {"pddl_problem", "pddl_domain", "grammar"}) {
    Json json = Json::parse(some_file());
    json.erase(key);
    EXPECT_TRUE(contains(error_of(json.dump(), ErrorKind::kParse), key));
    EXPECT_TRUE(contains(error_of(with(some_file(), key, 3), ErrorKind::kParse), key));
  }
}

TEST(Game, AnUnknownDialectIsNamed) {
  const std::string file = some_file();
  const auto unknown = [&](const std::string& text) {
    const std::string message = error_of(text, ErrorKind::kUnsupported);
    EXPECT_TRUE(contains(message, "unknown dialect")) << message;
    return message;
  };
  EXPECT_TRUE(contains(unknown(replaced(file, "grammar", "move {o} to {r}", "drop {o} at {r}")),
                       "drop {o} at {r}"));
  EXPECT_TRUE(contains(unknown(replaced(file, "grammar", "isclean(o:object)", "shiny(o:object)")),
                       "shiny"));
  EXPECT_TRUE(
      contains(unknown(replaced(file, "grammar", "#examineReceptacle.feedback#", "#no.such.rule#")),
               "no.such.rule"));
  EXPECT_TRUE(contains(unknown(replaced(file, "pddl_domain", "(isClean ?o)", "(isHot ?o)")),
                       "cleanobject"));
  EXPECT_TRUE(
      contains(unknown(replaced(file, "pddl_domain", ":action look", ":action dance")), "dance"));
}

TEST(Game, AGoalOrFactOfAnotherGameIsRefused) {
  const std::string file = some_file();
  const std::string goal = error_of(replaced(file, "pddl_problem", "(:goal (and", "(:goal (or"),
                                    ErrorKind::kUnsupported);
  EXPECT_TRUE(contains(goal, "goal")) << goal;
  EXPECT_TRUE(contains(
      error_of(replaced(file, "pddl_problem", "(openable ", "(magnetic "), ErrorKind::kUnsupported),
      "magnetic"));
  const std::string problem = Json::parse(file)["pddl_problem"];
  error_of(with(file, "pddl_problem", problem.substr(0, problem.size() / 2)), ErrorKind::kParse);
}

TEST(Game, AMissingFileIsNotFound) {
  const TemporaryFolder folder;
  try {
    load_game(folder.path() / "game.tw-pddl");
    FAIL() << "there is no such file";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_TRUE(contains(error.what(), "game.tw-pddl"));
  }
}

TEST(Game, OtherWordsCanBeAskedFor) {
  const std::string file = some_file();
  const auto classic = parse_game(file, "file", {.dialect = Dialect::kV03});
  EXPECT_EQ(classic->dialect, Dialect::kV03);
  EXPECT_FALSE(classic->has_help);
  GameState state = classic->initial;
  std::string reply;
  play_command(*classic, state, classic->receptacles[0].go, reply);
  EXPECT_TRUE(reply.starts_with("You arrive at loc ")) << reply;
  EXPECT_THROW(parse_game(file, "file", {.dialect = Dialect::k2020}), Error);
}

TEST(Game, DialectNamesAreReadBack) {
  for (const Dialect dialect : {Dialect::kV04, Dialect::kV03, Dialect::k2020}) {
    EXPECT_EQ(dialect_from_name(dialect_name(dialect)), dialect);
  }
  EXPECT_THROW(dialect_from_name("0.5"), Error);
}

}  // namespace
}  // namespace dreamgym::alfworld
