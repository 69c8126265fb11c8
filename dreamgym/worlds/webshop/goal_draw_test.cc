#include "dreamgym/worlds/webshop/goal_draw.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/webshop/catalogue_files.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/shop_generator.h"

namespace dreamgym::webshop {
namespace {

TEST(RandomIndex, DrawsAsTheOriginalsOwnTestExpects) {
  PythonRandom random(24);
  std::vector<double> sums = {0};
  for (int i = 0; i < 50; ++i) {
    sums.push_back(sums.back() + static_cast<double>(random.below(11)));  // randint(0, 10)
  }
  for (const std::size_t expected : {44U, 15U, 36U}) {
    EXPECT_EQ(random_index(sums, random), expected);
  }
}

TEST(GoalDraw, GivesTheGoalThatALogOfTheOriginalShows) {
  if (!std::filesystem::exists(real_data_folder() / "items_shuffle_1000.json")) {
    GTEST_SKIP() << "no data at " << real_data_folder();
  }
  const auto catalogue = std::make_shared<const Catalogue>(load_catalogue(real_data_folder()));
  GoalDraw draw(Goals(catalogue, {.kind = GoalKind::kSynthetic}));
  draw.next_reset();  // the environment's constructor
  EXPECT_EQ(draw.next_reset(), 5457U);
}

TEST(GoalDraw, NeverGivesTheFirstGoalAndFollowsTheWeights) {
  const auto catalogue =
      std::make_shared<const Catalogue>(generate_products({.num_products = 3, .seed = 1}));
  const Goals goals(catalogue, {.kind = GoalKind::kSynthetic});
  const std::vector<double> weights = goals.weights();
  for (std::size_t i = 0; i < goals.size(); ++i) {
    EXPECT_EQ(weights[i], goals.goal(i).weight);
  }
  GoalDraw draw(goals);
  std::map<std::size_t, int> times;
  for (int i = 0; i < 20000; ++i) {
    ++times[draw.next()];
  }
  EXPECT_FALSE(times.contains(0));
  EXPECT_EQ(times.size(), goals.size() - 1);
}

TEST(GoalDraw, NeedsAGoal) {
  const std::vector<Product> one(1, Product{.asin = "B1"});
  const Goals goals(std::make_shared<const Catalogue>(one), {.kind = GoalKind::kSynthetic});
  EXPECT_THROW(GoalDraw{goals}, Error);
}

}  // namespace
}  // namespace dreamgym::webshop
