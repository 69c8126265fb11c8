#include "dreamgym/worlds/alfworld/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dreamgym/worlds/alfworld/internal/strip.h"

namespace dreamgym::alfworld {
namespace {

/// A fridge, and a drawer and a counter that share a location; a lamp, two apples, a knife, a mug.
GameDescription kitchen(const Goal& goal) {
  GameDescription house;
  house.name = "kitchen";
  house.locations = {"loc_bar_1", "loc_bar_2", "loc_bar_3", "loc_bar_4"};
  house.receptacles = {{"countertop_bar_1", "countertop", 0, false, false},
                       {"drawer_bar_1", "drawer", 0, true, false},
                       {"fridge_bar_1", "fridge", 1, true, false},
                       {"microwave_bar_1", "microwave", 2, true, false}};
  const auto food = static_cast<std::uint8_t>(kPickupable | kHeatable | kCoolable | kSliceable);
  house.objects = {
      {"apple_bar_1", "apple", food, 0, {0}, {0}, {}},
      {"apple_bar_2", "apple", food, 0, {2}, {1}, {}},
      {"desklamp_bar_1", "desklamp", kToggleable, 0, {0}, {0}, {}},
      {"knife_bar_1", "knife", kPickupable, 0, {0}, {0}, {}},
      {"mug_bar_1", "mug", static_cast<std::uint8_t>(kPickupable | kHoldsThings), 0, {1}, {0}, {}}};
  house.can_contain = {{"countertop", "apple"},
                       {"countertop", "knife"},
                       {"countertop", "mug"},
                       {"drawer", "knife"},
                       {"drawer", "mug"},
                       {"fridge", "apple"},
                       {"microwave", "apple"}};
  house.agent_location = 3;
  house.goal = goal;
  house.task = task_sentence(goal, 0);
  return house;
}

class Player {
 public:
  explicit Player(const Goal& goal, Dialect dialect = Dialect::kV04)
      : game_(build_game(kitchen(goal), "kitchen", dialect)), state_(game_->initial) {}

  std::string operator()(std::string_view command) {
    std::string reply;
    play_command(*game_, state_, command, reply);
    return reply;
  }
  [[nodiscard]] bool won() const { return goal_reached(*game_, state_); }
  [[nodiscard]] std::vector<std::string> commands() const {
    std::vector<std::string> list;
    list_commands(*game_, state_, list);
    return list;
  }
  [[nodiscard]] bool offers(const std::string& command) const {
    const auto list = commands();
    return std::ranges::find(list, command) != list.end();
  }
  [[nodiscard]] const AlfredGame& game() const { return *game_; }
  [[nodiscard]] GameState& state() { return state_; }

 private:
  std::shared_ptr<const AlfredGame> game_;
  GameState state_;
};

const Goal kAppleInFridge = {TaskType::kPlace, "apple", "fridge", ""};

TEST(Engine, ListsWhatIsPossibleSortedAsStrings) {
  Player play(kAppleInFridge);
  EXPECT_EQ(play.commands(),
            (std::vector<std::string>{"go to countertop 1",
                                      "go to drawer 1",
                                      "go to fridge 1",
                                      "go to microwave 1",
                                      "help",
                                      "inventory",
                                      "look"}));
  play("go to countertop 1");
  EXPECT_EQ(play.commands(),
            (std::vector<std::string>{"examine countertop 1",
                                      "examine drawer 1",
                                      "go to fridge 1",
                                      "go to microwave 1",
                                      "help",
                                      "inventory",
                                      "look",
                                      "open drawer 1",
                                      "take apple 2 from countertop 1",
                                      "take knife 1 from countertop 1",
                                      "use desklamp 1"}));
  play("take knife 1 from countertop 1");
  const auto commands = play.commands();
  EXPECT_TRUE(std::ranges::is_sorted(commands));
  EXPECT_TRUE(play.offers("slice apple 2 with knife 1"));
  EXPECT_TRUE(play.offers("examine knife 1"));
  EXPECT_FALSE(play.offers("take apple 2 from countertop 1"));
}

TEST(Engine, EverythingListedIsPossibleAndNothingElseIs) {
  for (const Dialect dialect : {Dialect::kV04, Dialect::kV03}) {
    Player play(kAppleInFridge, dialect);
    for (const char* command :
         {"go to countertop 1", "open drawer 1", "take mug 1 from drawer 1"}) {
      EXPECT_NE(play(command), kNothingHappens) << command;
      for (const std::string& listed : play.commands()) {
        const auto parsed = parse_command(play.game(), listed);
        ASSERT_TRUE(parsed) << listed;
        EXPECT_TRUE(is_possible(play.game(), play.state(), *parsed)) << listed;
        EXPECT_EQ(command_text(play.game(), *parsed), listed);
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(play.commands()));
  }
}

TEST(Engine, NonsenseChangesNothing) {
  Player play(kAppleInFridge);
  const GameState before = play.state();
  for (const std::string& command : {std::string(),
                                     std::string("go to"),
                                     std::string("Look"),
                                     std::string("go to  fridge 1"),
                                     std::string("take apple 2 from fridge 1"),
                                     std::string("put apple 2 in/on fridge 1"),
                                     std::string("look\0", 5),
                                     std::string(1 << 20, 'x')}) {
    EXPECT_EQ(play(command), kNothingHappens) << command.substr(0, 40);
  }
  EXPECT_EQ(play.state(), before);
}

TEST(Engine, StripsCommandsAsPythonDoes) {
  Player play(kAppleInFridge);
  EXPECT_NE(play(" \t\nlook\r\n"), kNothingHappens);
  EXPECT_NE(play("\xc2\xa0inventory\xe2\x80\x83"), kNothingHappens);
  EXPECT_EQ(strip("\xe3\x80\x80"), "");
  EXPECT_EQ(strip("\xe3\x80"), "\xe3\x80");
}

TEST(Engine, GoingWhereOneIsIsNoCommand) {
  Player play(kAppleInFridge);
  play("go to countertop 1");
  EXPECT_EQ(play("go to countertop 1"), kNothingHappens);
  EXPECT_EQ(play("go to drawer 1"), kNothingHappens);  // shares the location
  EXPECT_EQ(play("open drawer 1"),
            "You open the drawer 1. The drawer 1 is open. In it, you see a mug 1.");
  EXPECT_EQ(play("look"),
            "You are facing the countertop 1, and drawer 1. Next to it, you see nothing.");
}

TEST(Engine, LookShowsWhatWasMovedBetweenPlacesAtOneLocation) {
  Player play(kAppleInFridge);
  play("go to countertop 1");
  play("open drawer 1");
  play("take mug 1 from drawer 1");
  play("move mug 1 to countertop 1");
  // The reference engine keeps the fact that the mug is not in the drawer, and its grammar reads
  // it.
  EXPECT_EQ(play("look"),
            "You are facing the countertop 1, and drawer 1. Next to it, you see a mug 1.");
  play("take mug 1 from countertop 1");
  play("move mug 1 to drawer 1");
  EXPECT_EQ(play("look"),
            "You are facing the countertop 1, and drawer 1. Next to it, you see a mug 1.");
}

TEST(Engine, AtTheStartOnlyTheOpeningShowsTheRoom) {
  Player play(kAppleInFridge);
  EXPECT_EQ(play("look"),
            "You are in the middle of a room. Looking quickly around you, you see nothing.");
  EXPECT_TRUE(play.game().opening_text.starts_with("-= Welcome to TextWorld, ALFRED! =-\n\n"));
  EXPECT_TRUE(play.game().opening_text.ends_with("\n\nYour task is to: put a apple in fridge."));
}

TEST(Engine, DoorsHideAndShow) {
  Player play(kAppleInFridge);
  EXPECT_EQ(play("go to fridge 1"), "You arrive at fridge 1. The fridge 1 is closed.");
  EXPECT_EQ(play("take apple 1 from fridge 1"), kNothingHappens);
  EXPECT_EQ(play("open fridge 1"),
            "You open the fridge 1. The fridge 1 is open. In it, you see a apple 1.");
  EXPECT_EQ(play("open fridge 1"), kNothingHappens);
  EXPECT_EQ(play("close fridge 1"), "You close the fridge 1.");
}

TEST(Engine, TreatmentsShowWhenExamined) {
  Player play(kAppleInFridge);
  play("go to countertop 1");
  play("take apple 2 from countertop 1");
  EXPECT_EQ(play("examine apple 2"), "There's nothing special about apple 2.");
  play("go to microwave 1");
  EXPECT_EQ(play("heat apple 2 with microwave 1"),
            "You heat the apple 2 using the microwave 1.");  // closed, and yet
  EXPECT_EQ(play("examine apple 2"), "This is a hot apple 2.");
  play("go to fridge 1");
  play("cool apple 2 with fridge 1");
  EXPECT_EQ(play("examine apple 2"), "This is a cold apple 2.");
  EXPECT_EQ(play("clean apple 2 with fridge 1"), kNothingHappens);
  EXPECT_EQ(play("inventory"), "You are carrying: a apple 2.");
}

TEST(Engine, AKnifeSlicesWhatIsHere) {
  Player play(kAppleInFridge);
  play("go to countertop 1");
  EXPECT_EQ(play("slice apple 2 with knife 1"), kNothingHappens);
  play("take knife 1 from countertop 1");
  EXPECT_EQ(play("slice apple 2 with knife 1"), "You sliced the apple 2 with the knife 1.");
  EXPECT_EQ(play("slice apple 1 with knife 1"), kNothingHappens);  // in the fridge
  play("move knife 1 to countertop 1");
  play("take apple 2 from countertop 1");
  EXPECT_EQ(play("examine apple 2"), "This is a sliced apple 2.");
}

TEST(Engine, PlacingNeedsTheRightPlaceAndTreatment) {
  Player play({TaskType::kHeat, "apple", "countertop", ""});
  EXPECT_FALSE(play.won());
  play("go to countertop 1");
  play("take apple 2 from countertop 1");
  play("move apple 2 to countertop 1");
  EXPECT_FALSE(play.won());
  play("take apple 2 from countertop 1");
  play("go to microwave 1");
  play("heat apple 2 with microwave 1");
  EXPECT_FALSE(play.won());
  play("go to countertop 1");
  play("move apple 2 to countertop 1");
  EXPECT_TRUE(play.won());
}

TEST(Engine, TwoObjectsMustLieInOnePlace) {
  Player play({TaskType::kTwo, "apple", "fridge", ""});
  EXPECT_FALSE(play.won());
  play("go to countertop 1");
  play("take apple 2 from countertop 1");
  play("go to fridge 1");
  play("open fridge 1");
  play("move apple 2 to fridge 1");
  EXPECT_TRUE(play.won());
}

TEST(Engine, LightNeedsTheLampOnAndTheObjectInHand) {
  Player play({TaskType::kLight, "mug", "", "desklamp"});
  play("go to drawer 1");
  play("open drawer 1");
  play("take mug 1 from drawer 1");
  EXPECT_FALSE(play.won());
  EXPECT_EQ(play("use desklamp 1"), "You turn on the desklamp 1.");
  EXPECT_TRUE(play.won());
  EXPECT_EQ(play("use desklamp 1"), "You turn on the desklamp 1.");  // off again, says "on"
  EXPECT_TRUE(play.won());                                           // once used counts for ever
  play("go to fridge 1");
  EXPECT_FALSE(play.won());
}

TEST(Engine, AThingInTwoPlacesIsTakenFromOne) {
  GameDescription house = kitchen(kAppleInFridge);
  house.objects[4].inside = {0, 1};  // as real files do: on the counter and in the drawer
  const auto game = build_game(house, "two places", Dialect::kV04);
  GameState state = game->initial;
  std::string reply;
  for (const char* command :
       {"go to countertop 1", "take mug 1 from countertop 1", "open drawer 1"}) {
    reply.clear();
    play_command(*game, state, command, reply);
  }
  EXPECT_EQ(reply, "You open the drawer 1. The drawer 1 is open. In it, you see a mug 1.");
}

TEST(Engine, TheClassicWordingPuts) {
  Player play(kAppleInFridge, Dialect::kV03);
  EXPECT_EQ(play("go to countertop 1").substr(0, 18), "You arrive at loc ");
  play("take apple 2 from countertop 1");
  EXPECT_EQ(play("move apple 2 to countertop 1"), kNothingHappens);
  EXPECT_EQ(play("put apple 2 in/on countertop 1"), "You put the apple 2 in/on the countertop 1.");
  EXPECT_FALSE(play.offers("help"));
}

TEST(Engine, StateIsSmall) {
  const Player play(kAppleInFridge);
  const GameState& state = play.game().initial;
  EXPECT_LT(sizeof(state) + state.bits.size() * 8 + state.conditions.size(), 1024U);
}

}  // namespace
}  // namespace dreamgym::alfworld
