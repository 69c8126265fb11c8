#include "dreamgym/worlds/toy/toy_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/collect.h"
#include "tests/contract/environment_contract.h"

namespace dreamgym {
namespace {

EnvironmentContract toy_contract() {
  const std::shared_ptr<World> world = make_toy_world();
  return {.make = [world] { return world->make_environment(); },
          .tasks = world->tasks({.count = 5}),
          .actions_to_the_end =
              [world](const Task& task) {
                return environment_contract::actions_of(
                    play_episode(*world->make_environment(),
                                 *world->make_policy(PolicyKind::kExpert, 0),
                                 task,
                                 8,
                                 50));
              }};
}
DREAMGYM_ENVIRONMENT_CONTRACT(ToyEnvironment, toy_contract())

/// A room with a silver key in its blue box, and none in the red one.
Task silver_task() {
  return {
      .id = "t",
      .instruction = "open the silver chest",
      .world = "toy",
      .settings = {{"boxes", "red,blue,green"}, {"contents", ",silver,gold"}, {"goal", "silver"}}};
}

Trajectory play(const std::vector<Action>& actions) {
  Recording recording(make_toy_world()->make_environment());
  recording.reset(silver_task(), 0);
  for (const Action& action : actions) {
    recording.step(action);
  }
  Trajectory trajectory = recording.trajectory();
  make_toy_world()->make_explainer()->explain(trajectory);
  return trajectory;
}

TEST(ToyEnvironment, IsWonByFindingTheKeyAndOpeningTheChest) {
  const Trajectory trajectory = play({"open silver chest",
                                      "open blue box",
                                      "take silver key from blue box",
                                      "open blue box",
                                      "open silver chest"});
  EXPECT_EQ(trajectory.steps[0].observation.text,
            "You are in a small room. You see a silver chest, a gold chest, a red box, a blue box, "
            "a green box.\nYour task is to: open the silver chest.");
  EXPECT_EQ(trajectory.steps[0].next_observation.text, "The silver chest is locked.");
  EXPECT_EQ(trajectory.steps[1].next_observation.text, "In the blue box you see a silver key.");
  EXPECT_EQ(trajectory.steps[2].next_observation.text, "You take the silver key.");
  EXPECT_EQ(trajectory.steps[3].next_observation.text, "In the blue box you see nothing.");
  EXPECT_EQ(trajectory.steps[4].next_observation.text, "The silver chest opens.");
  EXPECT_TRUE(trajectory.success());
  EXPECT_EQ(trajectory.episode_return, 1);
}

TEST(ToyEnvironment, GivesNothingForTheOtherChestOrForWhatIsNotPossible) {
  const Trajectory trajectory = play({"take silver key from blue box",
                                      "open green box",
                                      "take gold key from green box",
                                      "open gold chest"});
  EXPECT_FALSE(trajectory.steps[0].action_valid);
  EXPECT_EQ(trajectory.steps[0].next_observation.text, "Nothing happens.");
  EXPECT_EQ(trajectory.steps[3].next_observation.text, "The gold chest opens.");
  EXPECT_EQ(trajectory.episode_return, 0);
  EXPECT_FALSE(trajectory.steps[3].terminated);
}

TEST(ToyEnvironment, RefusesATaskOfAnotherWorld) {
  EXPECT_THROW(make_toy_world()->make_environment()->reset({.id = "x", .world = "alfworld"}, 0),
               Error);
}

TEST(ToyExplainer, SaysWhatHappenedAndWhatWasWantedAndReached) {
  const Trajectory trajectory = play({"jump",
                                      "open red box",
                                      "open red box",
                                      "open green box",
                                      "take gold key from green box",
                                      "open gold chest",
                                      "open silver chest",
                                      "open blue box",
                                      "take silver key from blue box",
                                      "open silver chest"});
  std::vector<std::string> traces;
  for (const Transition& step : trajectory.steps) {
    traces.push_back(step.reasoning_trace);
    const auto trace = parse_reasoning_trace(step.reasoning_trace);
    ASSERT_TRUE(trace) << step.reasoning_trace;
    EXPECT_EQ(wanted_is_reached(*trace), step.reward == 1) << step.reasoning_trace;
  }
  EXPECT_EQ(
      traces,
      (std::vector<std::string>{"effect: invalid",
                                "effect: new; at: red box",
                                "effect: again; at: red box",
                                "effect: new; at: green box",
                                "effect: moved; hold: gold key",
                                "effect: done; want: silver chest open; got: gold chest open",
                                "effect: closed; want: silver chest open; got: silver chest locked",
                                "effect: new; at: blue box",
                                "effect: moved; hold: silver key",
                                "effect: done; want: silver chest open; got: silver chest open"}));
}

TEST(ToyExplainer, RefusesATrajectoryOfAnotherWorld) {
  Trajectory trajectory{.task = {.world = "alfworld"}};
  EXPECT_THROW(make_toy_world()->make_explainer()->explain(trajectory), Error);
}

TEST(ToyMapper, OffersEveryActionThatMattersFromTextAlone) {
  const auto world = make_toy_world();
  for (const Trajectory& trajectory :
       collect(*world, {.tasks = {.count = 20}, .policy = PolicyKind::kRandom, .max_steps = 20})) {
    const auto mapper = world->make_action_mapper_factory()->create();
    mapper->reset(trajectory.task.instruction, trajectory.steps[0].observation.text);
    for (const Transition& step : trajectory.steps) {
      std::vector<std::string> expected = step.observation.admissible;
      std::erase(expected, "look");
      EXPECT_EQ(mapper->candidates(), expected);
      mapper->observe(step.action, step.next_observation.text);
    }
  }
}

TEST(ToyExpert, SolvesEveryTaskAndMistakesMakeItSlower) {
  const auto world = make_toy_world();
  std::size_t expert_steps = 0;
  std::size_t noisy_steps = 0;
  for (const Trajectory& trajectory : collect(*world, {.tasks = {.count = 100}})) {
    EXPECT_TRUE(trajectory.success()) << trajectory.task.id;
    expert_steps += trajectory.steps.size();
  }
  for (const Trajectory& trajectory :
       collect(*world, {.tasks = {.count = 100}, .policy = PolicyKind::kNoisy, .noise = 0.5})) {
    noisy_steps += trajectory.steps.size();
  }
  EXPECT_GT(noisy_steps, expert_steps * 5 / 4);
}

TEST(ToyWorld, DrawsDistinctTasksAndItsSplitsShareNone) {
  const auto world = make_toy_world();
  std::set<std::string> ids;
  for (const char* split : {"train", "held_out"}) {
    const auto tasks = world->tasks({.split = split, .count = 300, .seed = 2});
    EXPECT_EQ(tasks.size(), 300);
    for (const Task& task : tasks) {
      EXPECT_EQ(task.split, split);
      EXPECT_TRUE(ids.insert(task.id).second) << task.id;
    }
  }
}

TEST(ToyWorld, DrawsTheSameTasksForTheSameSeedAndFewerAreTheFirstOnes) {
  const auto world = make_toy_world();
  const auto tasks = world->tasks({.count = 20, .seed = 3});
  EXPECT_EQ(world->tasks({.count = 20, .seed = 3}), tasks);
  EXPECT_NE(world->tasks({.count = 20, .seed = 4}), tasks);
  const auto fewer = world->tasks({.count = 5, .seed = 3});
  EXPECT_TRUE(std::ranges::equal(fewer, std::span(tasks).first(5)));
}

}  // namespace
}  // namespace dreamgym
