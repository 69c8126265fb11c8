#include "dreamgym/worlds/webshop/webshop_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/collect.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/session.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/webshop_environment.h"
#include "tests/contract/environment_contract.h"

namespace dreamgym {
namespace {

EnvironmentContract contract_of(const std::string& mode) {
  const std::shared_ptr<World> world = make_webshop_world();
  return {.make = [world] { return world->make_environment(); },
          .tasks = world->tasks({.count = 4, .extra = {{"mode", mode}}}),
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
DREAMGYM_ENVIRONMENT_CONTRACT(WebshopText, contract_of("text"))
DREAMGYM_ENVIRONMENT_CONTRACT(WebshopTextRich, contract_of("text_rich"))

TEST(WebshopExpert, BuysWhatIsAskedForInMostGeneratedTasks) {
  const auto world = make_webshop_world();
  for (const char* mode : {"text", "text_rich"}) {
    double reward = 0;
    std::size_t wins = 0;
    std::size_t steps = 0;
    const auto episodes =
        collect(*world, {.tasks = {.count = 100, .extra = {{"mode", mode}}}, .max_steps = 30});
    for (const Trajectory& episode : episodes) {
      reward += episode.episode_return;
      wins += episode.success() ? 1 : 0;
      steps += episode.steps.size();
    }
    RecordProperty(std::string(mode) + "_return", std::to_string(reward / 100));
    RecordProperty(std::string(mode) + "_steps", static_cast<int>(steps));
    EXPECT_GE(wins, 85U) << mode;
    EXPECT_GE(reward, 90) << mode;
  }
}

TEST(WebshopExpert, IsWorseWithMistakesAndChanceIsWorst) {
  const auto world = make_webshop_world();
  const auto mean = [&](PolicyKind kind) {
    double reward = 0;
    for (const Trajectory& episode :
         collect(*world, {.tasks = {.count = 60}, .policy = kind, .noise = 0.4, .max_steps = 20})) {
      reward += episode.episode_return;
    }
    return reward / 60;
  };
  const double noisy = mean(PolicyKind::kNoisy);
  EXPECT_LT(noisy, mean(PolicyKind::kExpert));
  EXPECT_LT(mean(PolicyKind::kRandom), noisy);
}

TEST(WebshopMapper, OffersWhatTheShopOffers) {
  const auto world = make_webshop_world();
  for (const char* mode : {"text", "text_rich"}) {
    for (const Trajectory& episode : collect(*world,
                                             {.tasks = {.count = 30, .extra = {{"mode", mode}}},
                                              .policy = PolicyKind::kRandom,
                                              .max_steps = 30})) {
      const auto mapper = world->make_action_mapper_factory()->create();
      mapper->reset(episode.task.instruction, episode.steps[0].observation.text);
      for (const Transition& step : episode.steps) {
        ASSERT_EQ(mapper->candidates(), step.observation.admissible) << step.observation.text;
        mapper->observe(step.action, step.next_observation.text);
      }
    }
  }
}

TEST(WebshopExplainer, WantsAndGetsTheSameExactlyOnAFullReward) {
  const auto world = make_webshop_world();
  std::size_t partial = 0;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kRandom}) {
    for (const Trajectory& episode :
         collect(*world, {.tasks = {.count = 60}, .policy = kind, .max_steps = 60})) {
      for (const Transition& step : episode.steps) {
        const auto trace = parse_reasoning_trace(step.reasoning_trace);
        ASSERT_TRUE(trace) << step.reasoning_trace;
        EXPECT_EQ(wanted_is_reached(*trace), step.reward == 1) << step.reasoning_trace;
        partial += step.terminated && step.reward < 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(partial, 10U);
}

TEST(WebshopExplainer, FollowsAnEpisode) {
  const auto world = make_webshop_world();
  const auto episodes = collect(*world, {.tasks = {.count = 1}});
  const auto& steps = episodes.front().steps;
  EXPECT_EQ(steps.front().reasoning_trace, "effect: new; at: page 1");
  EXPECT_TRUE(contains(steps[1].reasoning_trace, "; meets: dress")) << steps[1].reasoning_trace;
  EXPECT_TRUE(contains(steps.back().reasoning_trace, "effect: done; at: g"))
      << steps.back().reasoning_trace;
  EXPECT_TRUE(contains(steps.back().reasoning_trace, "want: dress that is moisture wicking, price; got: "));
}

TEST(WebshopWorld, SplitsShareNoProductWhateverTheSeeds) {
  const auto world = make_webshop_world();
  std::map<std::string, std::string> split_of;
  for (const char* split : {"train", "dev", "test"}) {
    for (const char* seed : {"0", "1"}) {
      const auto tasks =
          world->tasks({.split = split, .extra = {{"shop_seed", seed}, {"products", "100"}}});
      EXPECT_GT(tasks.size(), 20U);
      for (const Task& task : tasks) {
        EXPECT_EQ(task.split, split);
        const auto environment = world->make_environment();
        environment->reset(task, 0);
        const std::string& asin =
            dynamic_cast<webshop::WebshopEnvironment&>(*environment).session().state().goal.asin;
        EXPECT_EQ(split_of.emplace(asin, split).first->second, split);
      }
    }
  }
}

TEST(WebshopWorld, NamesTheKindOfATaskByHowMuchItAsksFor) {
  EXPECT_EQ(webshop::kind_of({}), "0 attributes, 0 options");
  EXPECT_EQ(webshop::kind_of({.attributes = {"a"}, .options = {{"", "b"}}}), "1 attribute, 1 option");
  EXPECT_EQ(webshop::kind_of({.attributes = {"a", "b", "c", "d"}, .options = {{"", "b"}, {"", "c"}, {"", "d"}}}),
            "3+ attributes, 2+ options");
}

TEST(WebshopWorld, DrawsTheSameTasksForTheSameSeed) {
  const auto world = make_webshop_world();
  const auto tasks = world->tasks({.count = 20, .seed = 3});
  EXPECT_EQ(world->tasks({.count = 20, .seed = 3}), tasks);
  EXPECT_NE(world->tasks({.count = 20, .seed = 4}), tasks);
  const auto fewer = world->tasks({.count = 5, .seed = 3});
  EXPECT_TRUE(std::ranges::equal(fewer, std::span(tasks).first(5)));
}

TEST(WebshopWorld, DrawsByWeightAsTheOriginalDoes) {
  const auto world = make_webshop_world();
  const WorldOptions options{.count = 20, .extra = {{"draw", "weighted"}, {"goals", "synthetic"}}};
  const auto tasks = world->tasks(options);
  std::set<std::string> ids;
  for (const Task& task : tasks) {
    EXPECT_EQ(task.split, "train");
    ids.insert(task.id);
  }
  EXPECT_EQ(ids.size(), 20U);
  WorldOptions seeded = options;
  seeded.seed = 9;  // the draw is the original's own, whatever the seed
  EXPECT_EQ(world->tasks(seeded), tasks);
  EXPECT_THROW((void)world->tasks({.count = 300, .extra = {{"draw", "weighted"}}}), Error);
}

TEST(WebshopWorld, NamesWhatIsWrongWithItsOptions) {
  const auto world = make_webshop_world();
  EXPECT_THROW((void)world->tasks({.extra = {{"products", "many"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"products", "0"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"mode", "pictures"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"goals", "inhuman"}}}), Error);
  EXPECT_THROW((void)world->tasks({.extra = {{"draw", "lots"}}}), Error);
  EXPECT_THROW((void)world->tasks({.data_folder = "/nowhere"}), Error);
  EXPECT_THROW((void)world->tasks({.count = 1000000}), Error);
  EXPECT_THROW(world->make_environment()->reset({.id = "x", .world = "toy"}, 0), Error);
}

TEST(WebshopEnvironment, TellsUrlSearchBarAndClickables) {
  const auto world = make_webshop_world();
  const Task task = world->tasks({.count = 1})[0];
  const auto environment = world->make_environment();
  environment->reset(task, 0);
  EXPECT_EQ(webshop::start_info(*environment).at("has_search_bar"), "true");
  EXPECT_EQ(webshop::start_info(*environment).at("clickables"), "[\"search\"]");
  const StepResult result = environment->step("search[boots]");
  EXPECT_EQ(result.info.at("has_search_bar"), "false");
  EXPECT_EQ(result.info.at("url"),
            "http://127.0.0.1:3000/search_results/" + task.settings.at("session") + "/boots/1");
  EXPECT_TRUE(result.info.at("clickables").starts_with("[\"back to search\",\"next >\",\"g"));
}

TEST(WebshopEnvironment, ShowsAsMuchOfThePastAsIsWanted) {
  const auto world = make_webshop_world();
  const Task task =
      world->tasks({.count = 1, .extra = {{"num_prev_obs", "1"}, {"num_prev_actions", "2"}}})[0];
  const auto environment = world->make_environment();
  const std::string first = environment->reset(task, 0).text;
  const std::string second = environment->step("jump").observation.text;
  EXPECT_EQ(second, first + " [SEP] jump [SEP] " + first);
  EXPECT_EQ(environment->step("run").observation.text,
            "jump [SEP] " + first + " [SEP] run [SEP] " + first);
}

TEST(WebshopEnvironment, PlaysAGoalGivenAsJson) {
  const auto world = make_webshop_world();
  Task task = world->tasks({.count = 1})[0];
  task.settings["goal"] =
      R"({"asin":"X","query":"boots","name":"Boots","product_category":"A","attributes":["warm"],)"
      R"("price_upper":50,"goal_options":["red"],"instruction_text":"warm red boots"})";
  const auto environment = world->make_environment();
  EXPECT_TRUE(contains(environment->reset(task, 0).text, "warm red boots"));
  task.settings["goal"] = "{}";
  EXPECT_THROW(environment->reset(task, 0), Error);
}

}  // namespace
}  // namespace dreamgym
