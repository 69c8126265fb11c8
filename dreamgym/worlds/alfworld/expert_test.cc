// The expert and the mapper at work in generated houses.
#include "dreamgym/worlds/alfworld/expert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/action_mapper.h"
#include "dreamgym/worlds/alfworld/action_text.h"
#include "dreamgym/worlds/alfworld/alfworld_world.h"
#include "dreamgym/worlds/alfworld/explainer.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

using namespace alfworld;  // NOLINT(google-build-using-namespace)

std::vector<Task> some_tasks(std::size_t count, const std::string& split = "train") {
  return make_alfworld_world()->tasks({.split = split, .count = count});
}

std::vector<Trajectory> episodes(PolicyKind policy,
                                 std::size_t count,
                                 const std::map<std::string, std::string>& extra = {}) {
  const auto world = make_alfworld_world();
  return collect(*world,
                 {.tasks = {.count = count, .extra = extra},
                  .policy = policy,
                  .noise = 0.2,
                  .max_steps = 30,
                  .explain = false});
}

TEST(AlfworldExpert, WinsNearlyEveryGeneratedGame) {
  const auto played = episodes(PolicyKind::kExpert, 100);
  EXPECT_GE(std::ranges::count_if(played, &Trajectory::success), 97);
}

TEST(AlfworldExpert, WinsInTheClassicWordingToo) {
  const auto played = episodes(PolicyKind::kExpert, 20, {{"dialect", "0.3"}, {"text", "compact"}});
  EXPECT_GE(std::ranges::count_if(played, &Trajectory::success), 19);
}

TEST(AlfworldExpert, ANearMissAttemptsTheGoalWronglyFirst) {
  const auto world = make_alfworld_world();
  std::size_t wrong = 0;
  for (const Task& task : some_tasks(20)) {
    const auto environment = world->make_environment();
    const auto expert = make_expert({.random_action = 0, .near_miss = 1});
    Trajectory episode = play_episode(*environment, *expert, task, 3, 60);
    make_text_explainer()->explain(episode);
    wrong += std::ranges::any_of(episode.steps, [](const Transition& step) {
      return contains(step.reasoning_trace, "want: ") && step.reward == 0;
    });
  }
  EXPECT_GE(wrong, 15U);
}

TEST(AlfworldExpert, AProbabilityOutOfRangeIsRefused) {
  EXPECT_THROW(make_expert({.random_action = 1.5}), Error);
  EXPECT_THROW(make_expert({.near_miss = -0.1}), Error);
}

/// Share of candidates that the engine lists, and of useful actions that are among them.
void measure_mapper(const std::vector<Trajectory>& played, double& admissible, double& covered) {
  double candidates = 0;
  double useful = 0;
  admissible = covered = 0;
  for (const Trajectory& episode : played) {
    AlfworldActionMapper mapper;
    mapper.reset(episode.task.instruction, episode.steps.front().observation.text);
    for (const Transition& step : episode.steps) {
      const auto offered = mapper.candidates();
      const auto& listed = step.observation.admissible;
      EXPECT_FALSE(offered.empty());
      candidates += static_cast<double>(offered.size());
      for (const std::string& action : offered) {
        admissible += std::ranges::binary_search(listed, action) ? 1 : 0;
      }
      const ActionVerb verb = read_action(step.action).verb;
      if (step.action_valid && verb != ActionVerb::kLook && verb != ActionVerb::kInventory &&
          verb != ActionVerb::kHelp && verb != ActionVerb::kExamine && verb != ActionVerb::kSlice) {
        ++useful;
        covered += std::ranges::count(offered, step.action) == 1 ? 1 : 0;
      }
      mapper.observe(step.action, step.next_observation.text);
    }
  }
  admissible /= candidates;
  covered /= useful;
}

TEST(AlfworldActionMapper, OffersWhatTheEngineListsAndAllThatIsUseful) {
  for (const PolicyKind policy : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (const char* dialect : {"0.4", "0.3"}) {
      double admissible = 0;
      double covered = 0;
      measure_mapper(episodes(policy, 30, {{"dialect", dialect}}), admissible, covered);
      EXPECT_GE(admissible, 0.97);
      EXPECT_EQ(covered, 1.0);
    }
  }
}

TEST(AlfworldActionMapper, KeepsAFixedOrderAndIsNeverEmpty) {
  AlfworldActionMapper mapper;
  mapper.reset("put a mug in desk", "gibberish");
  EXPECT_EQ(mapper.candidates(), std::vector<std::string>{"look"});
  mapper.reset("put a mug in desk",
               "You are in the middle of a room. Looking quickly around you, you see a desk 2, a "
               "desk 1, and a fridge 1.");
  EXPECT_EQ(mapper.candidates(),
            (std::vector<std::string>{"go to desk 2", "go to desk 1", "go to fridge 1"}));
  mapper.observe("go to desk 1", "On the desk 1, you see a desklamp 1, and a mug 1.");
  EXPECT_EQ(mapper.candidates(),
            (std::vector<std::string>{
                "go to desk 2", "go to fridge 1", "use desklamp 1", "take mug 1 from desk 1"}));
  mapper.observe("take mug 1 from desk 1", "You pick up the mug 1 from the desk 1.");
  // The arrival was cut off, as logs of the classic wording do.
  EXPECT_EQ(mapper.candidates()[2], "put mug 1 in/on desk 1");
}

TEST(AlfworldActionMapper, ReadsTheWordingOf2020) {
  AlfworldActionMapper mapper;
  mapper.reset("put some pen on desk",
               "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking "
               "quickly around you, you see desk 1, and drawer 1.\n\nYour task is to: put some pen "
               "on desk.");
  mapper.observe("go to drawer 1", "You arrive at loc 2. drawer 1 is closed.");
  EXPECT_EQ(mapper.candidates(), (std::vector<std::string>{"go to desk 1", "open drawer 1"}));
  mapper.observe("open drawer 1", "You open drawer 1. In drawer 1, you see pen 1.");
  EXPECT_EQ(
      mapper.candidates(),
      (std::vector<std::string>{"go to desk 1", "close drawer 1", "take pen 1 from drawer 1"}));
  mapper.observe("take pen 1 from drawer 1", "You take pen 1 from drawer 1.");
  EXPECT_EQ(mapper.candidates()[2], "put pen 1 in/on drawer 1");
}

TEST(AlfworldActionMapper, PlacesAtOneLocationAreAtHand) {
  AlfworldActionMapper mapper;
  mapper.reset("put a mug in desk",
               "You are in the middle of a room. Looking quickly around you, you see a drawer 2, "
               "and a drawer 1.");
  mapper.observe("go to drawer 2", "You arrive at drawer 2. The drawer 2 is closed.");
  mapper.observe("go to drawer 1", "Nothing happens.");
  EXPECT_EQ(mapper.candidates(), (std::vector<std::string>{"open drawer 2", "examine drawer 1"}));
}

}  // namespace
}  // namespace dreamgym
