#include "dreamgym/worlds/alfworld/house_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/household_catalog.h"
#include "dreamgym/worlds/alfworld/walkthrough.h"

namespace dreamgym::alfworld {
namespace {

std::vector<GameDescription> games(const std::string& split, std::size_t houses) {
  std::vector<GameDescription> made;
  GeneratedId id;
  id.split = split;
  for (id.house = 0; id.house < houses; ++id.house) {
    for (id.task = 0; id.task < tasks_in_house(id.options, split); ++id.task) {
      made.push_back(generate_game(id));
    }
  }
  return made;
}

TEST(HouseGenerator, TheSameIdGivesTheSameGame) {
  const GeneratedId id = {.options = {}, .split = "valid_seen", .seed = 7, .house = 2, .task = 1};
  EXPECT_EQ(generate_game(id), generate_game(id));
  GeneratedId other = id;
  other.seed = 8;
  EXPECT_NE(generate_game(id), generate_game(other));
}

TEST(HouseGenerator, IdsAreReadBackFromText) {
  const GeneratedId id = {.options = {.min_receptacles = 7, .max_receptacles = 12},
                          .split = "valid_unseen",
                          .seed = 123456789,
                          .house = 4,
                          .task = 3};
  EXPECT_EQ(parse_generated_id(to_text(id)), id);
  for (const char* text : {"",
                           "train",
                           "train-8-10-4-17-4-s0-h0-t4",
                           "test-8-10-4-17-4-s0-h0-t0",
                           "train-8-10-4-17-4-s0-h0-tx",
                           "train-80-10-4-17-4-s0-h0-t0"}) {
    EXPECT_THROW(parse_generated_id(text), Error) << text;
  }
}

TEST(HouseGenerator, EveryGameCanBeWonAndIsNotWonYet) {
  for (const GameDescription& description : games("train", 12)) {
    const auto game = build_game(description, description.name, Dialect::kV04);
    EXPECT_FALSE(goal_reached(*game, game->initial)) << description.task;
    const auto commands = find_walkthrough(*game);
    ASSERT_TRUE(commands) << description.task;
    GameState state = game->initial;
    for (const std::string& command : *commands) {
      std::string reply;
      EXPECT_TRUE(play_command(*game, state, command, reply)) << command;
    }
    EXPECT_TRUE(goal_reached(*game, state)) << description.task;
  }
}

TEST(HouseGenerator, SplitsShareNoTask) {
  std::map<std::string, std::string> owner;
  for (const char* split : {"train", "valid_seen", "valid_unseen"}) {
    for (const GameDescription& game : games(split, 12)) {
      EXPECT_EQ(split_of_game(game), split);
      const std::string task =
          std::to_string(house_signature(game)) + " " + wanted_text(game.goal);
      const auto [known, added] = owner.emplace(task, split);
      EXPECT_EQ(known->second, split) << task;
    }
  }
}

TEST(HouseGenerator, ValidSeenAsksForNewThingsInTheTrainingHouses) {
  std::set<std::uint64_t> train;
  for (const GameDescription& game : games("train", 6)) {
    train.insert(house_signature(game));
  }
  for (const GameDescription& game : games("valid_seen", 6)) {
    EXPECT_TRUE(train.contains(house_signature(game)));
  }
  for (const GameDescription& game : games("valid_unseen", 6)) {
    EXPECT_FALSE(train.contains(house_signature(game)));
  }
}

TEST(HouseGenerator, HousesHaveTheWantedSize) {
  for (const GameDescription& game : games("train", 10)) {
    EXPECT_GE(game.receptacles.size(), 8U);
    EXPECT_LE(game.receptacles.size(), 10U);
    std::map<Index, std::size_t> load;
    for (const ObjectDescription& object : game.objects) {
      ASSERT_EQ(object.inside.size(), 1U);
      EXPECT_LE(++load[object.inside.front()], 4U);
    }
  }
}

TEST(HouseGenerator, ThingsLieWhereSuchThingsLie) {
  for (const GameDescription& game : games("train", 6)) {
    for (const ObjectDescription& object : game.objects) {
      EXPECT_GT(usual_share(object.type, game.receptacles[object.inside.front()].type), 0)
          << object.id;
    }
  }
}

TEST(HouseGenerator, MakesAllSixTypesAndSeveralTasksAHouse) {
  std::map<TaskType, std::size_t> types;
  std::set<std::string> tasks;
  for (const GameDescription& game : games("train", 15)) {
    ++types[game.goal.type];
    tasks.insert(game.name.substr(0, game.name.rfind('_')) + wanted_text(game.goal));
  }
  EXPECT_EQ(types.size(), kTaskTypes.size());
  EXPECT_EQ(tasks.size(), 60U);  // the tasks of one house differ
}

TEST(HouseGenerator, OptionsOutOfRangeAreNamed) {
  EXPECT_THROW(check_house_options({.min_receptacles = 2}), Error);
  EXPECT_THROW(check_house_options({.min_receptacles = 12, .max_receptacles = 11}), Error);
  EXPECT_THROW(check_house_options({.max_objects = 0}), Error);
  EXPECT_THROW(check_house_options({.objects_per_receptacle = 0}), Error);
  EXPECT_THROW(check_house_options({.tasks_per_house = 0}), Error);
}

TEST(HouseholdCatalog, KindsFitTogether) {
  for (const ObjectKind& kind : object_kinds()) {
    EXPECT_FALSE(kind.places.empty()) << kind.name;
    for (const auto& [place, share] : kind.places) {
      EXPECT_NE(find_receptacle_kind(place), nullptr) << place;
    }
    for (const std::string& place : kind.fits) {
      EXPECT_NE(find_receptacle_kind(place), nullptr) << place;
    }
  }
  for (const RoomKind& room : room_kinds()) {
    for (const std::string& object : room.objects) {
      EXPECT_NE(find_object_kind(object), nullptr) << object;
    }
    for (const std::string& place : room.required) {
      EXPECT_NE(find_receptacle_kind(place), nullptr) << place;
    }
  }
  EXPECT_EQ(may_hold("fridge", "apple"), true);
  EXPECT_EQ(may_hold("bed", "apple"), false);
  EXPECT_FALSE(may_hold("spaceship", "apple"));
}

}  // namespace
}  // namespace dreamgym::alfworld
