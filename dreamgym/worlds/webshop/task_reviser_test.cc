#include "dreamgym/worlds/webshop/task_reviser.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/query_words.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/session.h"
#include "dreamgym/worlds/webshop/webshop_world.h"

namespace dreamgym::webshop {
namespace {

class VariedShopTasks : public testing::Test {
 protected:
  void SetUp() override {
    tasks_ = world_->tasks({.count = 60});
    const auto environment = world_->make_environment();
    for (Task& task : tasks_) {
      task.settings[task_settings::kFirstObservation] = environment->reset(task, 0).text;
    }
  }
  /// Buys what the goal asks for and returns the reward.
  [[nodiscard]] double play(const Task& task) const {
    const auto environment = world_->make_environment();
    const std::string first = environment->reset(task, 0).text;
    EXPECT_EQ(first, task.settings.at(task_settings::kFirstObservation));
    const Goal goal = goal_from_json(task.settings.at(settings::kGoal));
    environment->step("search[" + goal.name + "]");
    EXPECT_TRUE(environment->step("click[" + to_lower(goal.asin) + "]").action_valid) << goal.asin;
    for (const GoalOption& option : goal.options) {
      EXPECT_TRUE(environment->step("click[" + option.value + "]").action_valid) << option.value;
    }
    return environment->step("click[buy now]").reward;
  }
  [[nodiscard]] Expected<Task, std::string> revise(const Task& seed,
                                                   const std::string& instruction) const {
    return world_->make_task_reviser()->revise(seed, instruction);
  }

  std::unique_ptr<World> world_ = make_webshop_world();
  std::vector<Task> tasks_;
};

TEST_F(VariedShopTasks, CanBeDoneInTheShop) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < tasks_.size(); ++i) {
    const auto varied = revise(tasks_[i], tasks_[i + 1].instruction);
    ASSERT_TRUE(varied) << varied.error() << ": " << tasks_[i + 1].instruction;
    EXPECT_EQ(varied->instruction, tasks_[i + 1].instruction);
    EXPECT_FALSE(
        contains(varied->settings.at(task_settings::kFirstObservation), tasks_[i].instruction));
    EXPECT_EQ(play(*varied), 1) << varied->instruction;
    ++kept;
  }
  EXPECT_EQ(kept, tasks_.size() - 1);
}

TEST_F(VariedShopTasks, AreRefusedWithAPriceNoProductHas) {
  for (const Task& task : tasks_) {
    const std::string cheap =
        std::string(without_price_limit(task.instruction)) + ", and price lower than 0.50 dollars";
    EXPECT_FALSE(revise(task, cheap)) << cheap;
    const std::string dear = std::string(without_price_limit(task.instruction)) +
                             ", and price lower than 990.00 dollars";
    EXPECT_TRUE(revise(task, dear)) << dear;
  }
}

TEST_F(VariedShopTasks, AreRefusedWithWordsNoProductHas) {
  const Task& task = tasks_.front();
  EXPECT_FALSE(revise(task, ""));
  EXPECT_FALSE(revise(task, "i need"));
  EXPECT_FALSE(revise(task, "i need a spaceship that is waterproof"));
  EXPECT_FALSE(revise(task, task.instruction.substr(0, task.instruction.find(" that is"))));
  EXPECT_FALSE(revise(task, "purple elephantine " + task.instruction));
}

TEST_F(VariedShopTasks, NeedASeedThatNamesAShop) {
  const auto varied = revise({.id = "log", .world = "webshop"}, "boots that are warm");
  ASSERT_FALSE(varied);
  EXPECT_TRUE(contains(varied.error(), "names no shop"));
}

TEST_F(VariedShopTasks, CanSeedFurtherOnes) {
  const auto once = revise(tasks_[0], tasks_[1].instruction);
  ASSERT_TRUE(once);
  const auto twice = revise(*once, tasks_[2].instruction);
  ASSERT_TRUE(twice) << twice.error();
  EXPECT_EQ(play(*twice), 1);
}

TEST(VariedRealShopTasks, MayKeepWordsThatNoProductHas) {
  if (!std::filesystem::exists(real_data_folder() / "items_shuffle_1000.json")) {
    GTEST_SKIP() << "no data at " << real_data_folder();
  }
  const auto world = make_webshop_world();
  const auto reviser = world->make_task_reviser();
  std::size_t kept = 0;
  const auto tasks = world->tasks({.data_folder = real_data_folder().string(),
                                   .count = 100,
                                   .extra = {{"goals", "synthetic"}}});
  for (const Task& task : tasks) {
    kept += reviser->revise(task, std::string(without_price_limit(task.instruction))) ? 1 : 0;
  }
  RecordProperty("kept", static_cast<int>(kept));
  EXPECT_GE(kept, 80U);
}

}  // namespace
}  // namespace dreamgym::webshop
