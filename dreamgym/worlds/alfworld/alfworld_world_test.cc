#include "dreamgym/worlds/alfworld/alfworld_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/alfworld_environment.h"
#include "dreamgym/worlds/alfworld/expert.h"
#include "dreamgym/worlds/alfworld/game_writer.h"
#include "dreamgym/worlds/alfworld/house_generator.h"
#include "dreamgym/worlds/alfworld/real_data.h"
#include "dreamgym/worlds/collect.h"
#include "tests/contract/environment_contract.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

using namespace alfworld;  // NOLINT(google-build-using-namespace)

std::vector<Task> some_tasks(std::size_t count, const std::string& split = "train") {
  return make_alfworld_world()->tasks({.split = split, .count = count});
}

EnvironmentContract alfworld_contract() {
  return {
      .make = [] { return make_alfworld_world()->make_environment(); },
      .tasks = some_tasks(3),
      .actions_to_the_end =
          [](const Task& task) {
            const auto world = make_alfworld_world();
            const auto environment = world->make_environment();
            const auto expert = world->make_policy(PolicyKind::kExpert, 0);
            std::vector<Action> actions;
            for (const Transition& step : play_episode(*environment, *expert, task, 8, 60).steps) {
              actions.push_back(step.action);
            }
            return actions;
          }};
}

DREAMGYM_ENVIRONMENT_CONTRACT(AlfworldEnvironmentContract, alfworld_contract())

TEST(AlfworldEnvironment, TheFirstObservationIsTheEnginesOwnOrTheRoomOnly) {
  const auto environment = make_alfworld_world()->make_environment();
  Task task = some_tasks(1).front();
  const Observation full = environment->reset(task, 0);
  EXPECT_TRUE(full.text.starts_with("-= Welcome to TextWorld, ALFRED! =-"));
  EXPECT_TRUE(full.text.ends_with("Your task is to: " + task.instruction + "."));
  task.settings[settings::kText] = "compact";
  const Observation compact = environment->reset(task, 0);
  EXPECT_TRUE(compact.text.starts_with("You are in the middle of a room."));
  EXPECT_FALSE(contains(compact.text, "\n"));
  std::vector<std::string> without_help = full.admissible;
  EXPECT_EQ(std::erase(without_help, "help"), 1U);
  EXPECT_EQ(compact.admissible, without_help);
  task.settings[settings::kText] = "tiny";
  EXPECT_THROW(environment->reset(task, 0), Error);
}

TEST(AlfworldEnvironment, TellsWonAndScore) {
  const auto environment = make_alfworld_world()->make_environment();
  const auto expert = make_expert();
  const Task task = some_tasks(1).front();
  const Trajectory episode = play_episode(*environment, *expert, task, 1, 60);
  ASSERT_TRUE(episode.success());
  EXPECT_EQ(episode.steps.front().info.at("won"), "false");
  EXPECT_EQ(episode.steps.front().info.at("score"), "0");
  EXPECT_EQ(episode.steps.back().info.at("won"), "true");
  EXPECT_EQ(episode.steps.back().info.at("score"), "1");
  EXPECT_EQ(episode.episode_return, 1);
}

TEST(AlfworldEnvironment, ATaskWithoutAGameIsRefused) {
  const auto environment = make_alfworld_world()->make_environment();
  Task task;
  task.world = "alfworld";
  EXPECT_THROW(environment->reset(task, 0), Error);
  task.settings[settings::kGame] = "no/such/game.tw-pddl";
  EXPECT_THROW(environment->reset(task, 0), Error);
  EXPECT_THROW(environment->step("look"), LogicError);
}

TEST(GameLibrary, KeepsTheLatestGamesAndSharesThem) {
  GameLibrary library(3);
  const auto tasks = some_tasks(5);
  const auto first = library.find(tasks[0]);
  EXPECT_EQ(first, library.find(tasks[0]));
  for (const Task& task : tasks) {
    library.find(task);
  }
  EXPECT_EQ(library.size(), 3U);
  EXPECT_NE(first, library.find(tasks[0]));  // made anew
}

TEST(GameLibrary, MayBeAskedFromManyThreads) {
  GameLibrary library(4);
  const auto tasks = some_tasks(8);
  const auto texts = parallel_map(
      64, 4, [&](std::size_t i) { return library.find(tasks[i % tasks.size()])->opening_text; });
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], texts[i % tasks.size()]);
  }
  EXPECT_LE(library.size(), 4U);
}

TEST(AlfworldWorld, SplitsShareNoTaskAndAreTheSameEachTime) {
  std::set<std::string> ids;
  for (const char* split : {"train", "valid_seen", "valid_unseen"}) {
    const auto tasks = some_tasks(20, split);
    EXPECT_EQ(tasks, some_tasks(20, split));
    for (const Task& task : tasks) {
      EXPECT_TRUE(ids.insert(task.id).second) << task.id;
      EXPECT_EQ(task.split, split);
      EXPECT_FALSE(task.instruction.ends_with('.'));
    }
  }
}

TEST(AlfworldWorld, PlaysAGameFileByItsPath) {
  const auto world = make_alfworld_world();
  const Task generated = world->tasks({.count = 1}).front();
  const TemporaryFolder folder;
  const Path file =
      write_game(generate_game(parse_generated_id(generated.id)), folder.path(), Dialect::kV04);
  const Task task = world->task_of_game(file.string());
  EXPECT_EQ(task.instruction, generated.instruction);
  EXPECT_EQ(task.settings.at(settings::kType), generated.settings.at(settings::kType));
  const auto by_path = world->make_environment();
  const auto by_id = world->make_environment();
  EXPECT_EQ(by_path->reset(task, 0), by_id->reset(generated, 0));
  EXPECT_THROW((void)world->task_of_game(folder.path() / "none.tw-pddl"), Error);
}

TEST(AlfworldWorld, UnknownOptionsAreRefused) {
  const auto world = make_alfworld_world();
  EXPECT_THROW((void)world->tasks({.split = "test"}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"rooms", "3"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"receptacles", "many"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"receptacles", "3"}}}), Error);
  EXPECT_THROW((void)world->tasks({.data_folder = "no/such/folder"}), Error);
}

TEST(AlfworldWorld, ReceptaclesAreAsManyAsAskedFor) {
  const auto world = make_alfworld_world();
  const auto environment = world->make_environment();
  for (const Task& task : world->tasks({.count = 8, .extra = {{"receptacles", "12"}}})) {
    const Observation first = environment->reset(task, 0);
    const auto goes = std::ranges::count_if(
        first.admissible, [](const std::string& action) { return action.starts_with("go to "); });
    EXPECT_EQ(goes, 12);
  }
}

TEST(AlfworldWorld, PlaysTheRealGames) {
  if (!std::filesystem::exists(real_data_folder() / "games")) {
    GTEST_SKIP() << "no data at " << real_data_folder();
  }
  const auto world = make_alfworld_world();
  const auto played = collect(
      *world,
      {.tasks = {.data_folder = real_data_folder().string(), .split = "valid_seen", .count = 25},
       .policy = PolicyKind::kExpert,
       .max_steps = 50});
  ASSERT_EQ(played.size(), 25U);
  EXPECT_GE(std::ranges::count_if(played, &Trajectory::success), 24);
  EXPECT_THROW(
      (void)world->tasks({.data_folder = real_data_folder().string(), .split = "valid_unseen"}),
      Error);
}

}  // namespace
}  // namespace dreamgym
