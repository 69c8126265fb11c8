#include "dreamgym/worlds/invented/houses_world.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/explainer.h"
#include "dreamgym/worlds/invented/corpus.h"

namespace dreamgym::invented {
namespace {

Trajectory house_episode(std::uint64_t index) {
  CorpusConfig config;
  config.weights.assign(kNumWorldKinds, 0);
  config.weights[static_cast<std::size_t>(WorldKind::kHouses)] = 1;
  static const InventedCorpus kCorpus(config, 21);
  return kCorpus.at(index);
}

TEST(HousesWorld, GivesTheTracesThatTheHouseholdExplainerReadsFromItsTexts) {
  const auto explainer = alfworld::make_text_explainer();
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Trajectory told = house_episode(i);
    Trajectory read = told;
    read.task.world = "alfworld";
    read.task.instruction = told.task.instruction.substr(0, told.task.instruction.find('.') + 1);
    explainer->explain(read);
    for (std::size_t t = 0; t < told.steps.size(); ++t) {
      ASSERT_EQ(told.steps[t].reasoning_trace, read.steps[t].reasoning_trace)
          << told.episode_id << " step " << t << ": " << told.steps[t].action;
    }
  }
}

TEST(HousesWorld, NamesNoRealThing) {
  static const std::set<std::string> kReal = {
      "sinkbasin", "microwave", "fridge", "desklamp", "cabinet", "drawer", "countertop", "mug"};
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Trajectory episode = house_episode(i);
    for (const Transition& step : episode.steps) {
      for (const std::string& name : kReal) {
        EXPECT_FALSE(contains(step.observation.text, name)) << step.observation.text;
        EXPECT_FALSE(contains(step.reasoning_trace, name)) << step.reasoning_trace;
      }
    }
    EXPECT_FALSE(contains(episode.task.instruction, "sinkbasin"));
  }
}

TEST(HousesWorld, HasAllSixTasksAndBothDialects) {
  std::set<std::string> kinds;
  bool moves = false;
  bool puts = false;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Trajectory episode = house_episode(i);
    kinds.insert(episode.task.settings.at("kind"));
    for (const Transition& step : episode.steps) {
      moves = moves || contains(step.next_observation.text, "You move the ");
      puts = puts || contains(step.next_observation.text, "You put the ");
    }
  }
  EXPECT_EQ(kinds.size(), 6U);
  EXPECT_TRUE(moves);
  EXPECT_TRUE(puts);
}

}  // namespace
}  // namespace dreamgym::invented
