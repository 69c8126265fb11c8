#include "dreamgym/eval/hidden_contents.h"

#include <gtest/gtest.h>

#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/long_dreams.h"

namespace dreamgym {
namespace {

TEST(Homogeneity, HasTheTextbooksPValue) {
  // 2 x 2 of 30, 70 and 50, 50: chi-square 8.3333, one degree, p 0.003892.
  const ChiSquare test = homogeneity({{"x", 30}, {"y", 70}}, {{"x", 50}, {"y", 50}});
  EXPECT_EQ(test.degrees, 1U);
  EXPECT_NEAR(test.statistic, 8.3333333, 1e-6);
  EXPECT_NEAR(test.p_value, 0.003892, 1e-5);
  EXPECT_NEAR(homogeneity({{"x", 10}, {"y", 20}}, {{"x", 20}, {"y", 40}}).p_value, 1, 1e-12);
}

TEST(Homogeneity, PutsRareKindsTogether) {
  const ChiSquare test = homogeneity({{"x", 100}, {"r1", 1}, {"r2", 2}}, {{"x", 100}, {"r3", 3}, {"r1", 1}});
  EXPECT_EQ(test.degrees, 1U);
  EXPECT_GT(test.p_value, 0.5);
  EXPECT_DOUBLE_EQ(homogeneity({}, {{"x", 3}}).p_value, 1);
}

// Shows a thing that its seed decides; counts its resets.
class Drawers final : public StepwiseDream {
 public:
  void end_all() override {}
  std::vector<Observation> start(std::span<const std::size_t>,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override {
    seeds_.assign(seeds.begin(), seeds.end());
    ++resets;
    return std::vector<Observation>(tasks.size(), Observation{"A room.", {}});
  }
  std::vector<StepResult> propose(std::span<const std::size_t> slots, std::span<const Action>) override {
    std::vector<StepResult> out;
    for (const std::size_t slot : slots) {
      StepResult result;
      result.observation.text = seeds_[slot] % 2 == 0 ? "In it, you see a pen 1." : "In it, you see a mug 1.";
      out.push_back(result);
    }
    return out;
  }
  void commit(std::span<const std::size_t>, std::span<const Action>, std::span<const StepResult>) override {}
  int resets = 0;

 private:
  std::vector<std::uint64_t> seeds_;
};

// Each in a house of its own, or all in one.
std::vector<Trajectory> lookers(std::size_t count, std::size_t pens, bool one_house = false) {
  std::vector<Trajectory> stories(count);
  for (std::size_t i = 0; i < count; ++i) {
    Transition look;
    look.observation.text = one_house ? "A room." : "Room " + std::to_string(i) + ".";
    look.action = "open drawer 1";
    look.reasoning_trace = "effect: new; at: drawer 1";
    look.next_observation.text = i < pens ? "In it, you see a pen 1." : "In it, you see a mug 1.";
    stories[i].steps = {look};
  }
  return stories;
}

TEST(HiddenContents, AreCountedByThingAndPlace) {
  Drawers dream;
  const HiddenContents found = measure_hidden_contents(dream, lookers(100, 50), 300, Rng(1));
  EXPECT_EQ(found.draws, 300U);
  EXPECT_EQ(found.looks, 100U);
  EXPECT_EQ(found.places, 100U);
  EXPECT_EQ(dream.resets, 3) << "walked through until there are enough draws";
  EXPECT_EQ(found.dreamed.size(), 2U);
  EXPECT_TRUE(found.dreamed.contains("pen in drawer"));
  EXPECT_NEAR(found.dreamed_things, 1, 1e-9);
  EXPECT_GT(found.test.p_value, 0.01);
  EXPECT_GT(found.exchange_p_value, 0.05);
  const HiddenContents other = measure_hidden_contents(dream, lookers(100, 100), 300, Rng(1));
  EXPECT_LT(other.test.p_value, 1e-6);
  EXPECT_LT(other.exchange_p_value, 0.01);
  EXPECT_EQ(measure_hidden_contents(dream, {}, 10, Rng(1)).draws, 0U);
}

TEST(HiddenContents, TakeManyLooksAtOnePlaceForOne) {
  Drawers dream;
  const HiddenContents found = measure_hidden_contents(dream, lookers(100, 100, true), 300, Rng(1));
  EXPECT_EQ(found.looks, 100U);
  EXPECT_EQ(found.places, 1U);
  EXPECT_DOUBLE_EQ(found.real.at("pen in drawer"), 1);
  EXPECT_NEAR(found.real_things, 1, 1e-9);
  EXPECT_GT(found.test.p_value, 0.1) << "one drawer says nothing";
  EXPECT_GT(found.exchange_p_value, 0.1);
}

class TwoDrawers final : public ActionMapper {
 public:
  void reset(std::string_view, std::string_view) override {}
  void observe(std::string_view, std::string_view) override {}
  [[nodiscard]] std::vector<std::string> candidates() const override { return {"open drawer 1", "open drawer 2"}; }
};

TEST(LongDreams, AreAsLongAsWantedAndTheSameAgain) {
  Drawers dream;
  const SimpleMapperFactory<TwoDrawers> mappers;
  const std::vector<Task> tasks(3);
  const auto stories = wander(dream, mappers, tasks, 20, Rng(2));
  ASSERT_EQ(stories.size(), 3U);
  EXPECT_EQ(stories[0].steps.size(), 20U);
  EXPECT_EQ(stories, wander(dream, mappers, tasks, 20, Rng(2)));
}

}  // namespace
}  // namespace dreamgym
