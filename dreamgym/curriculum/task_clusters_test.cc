#include "dreamgym/curriculum/task_clusters.h"

#include <gtest/gtest.h>

#include "dreamgym/curriculum/task_curriculum.h"

namespace dreamgym {
namespace {

// An axis for each first word; the second coordinate of two words is shared.
class FirstWord final : public Embedder {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 3; }
  [[nodiscard]] std::vector<float> embed(std::string_view text) const override {
    return text.starts_with("heat") ? std::vector<float>{1, 0, 0} : text.starts_with("warm") ? std::vector<float>{0.8F, 0.6F, 0} : std::vector<float>{0, 0, 1};
  }
  [[nodiscard]] std::string name() const override { return "first-word"; }
};

Task asking(const std::string& instruction) {
  Task task;
  task.id = instruction;
  task.instruction = instruction;
  return task;
}

const FirstWord kFirstWord{};
const std::vector<Task> kTasks = {asking("heat a mug"), asking("warm a cup"), asking("find a book"), asking("heat a pan")};

TEST(TaskClusters, JoinTheFirstThatIsSimilarEnough) {
  TaskClusters loose(kFirstWord, 0.7, kTasks);
  EXPECT_EQ(loose.size(), 2U);
  EXPECT_EQ(loose.cluster_of(kTasks[1]), loose.cluster_of(kTasks[0]));
  EXPECT_EQ(loose.cluster_of(kTasks[3]), 0U);
  EXPECT_EQ(TaskClusters(kFirstWord, 0.9, kTasks).size(), 3U);
}

TEST(TaskClusters, TakeInGeneratedTasksWithoutNewLeaders) {
  TaskClusters clusters(kFirstWord, 0.9, kTasks);
  EXPECT_EQ(clusters.cluster_of(asking("find a cup")), clusters.cluster_of(kTasks[2]));
  EXPECT_EQ(clusters.size(), 3U);
}

TEST(TaskCurriculum, ValuesATaskByItsClusterWhereThereAreClusters) {
  TaskCurriculum alone(kTasks, {.generated_share = 0}, {});
  TaskCurriculum clustered(kTasks, {.generated_share = 0}, {},
                           std::make_unique<TaskClusters>(kFirstWord, 0.9, kTasks));
  const std::vector<double> won = {1, 1, 1, 1};
  for (TaskCurriculum* curriculum : {&alone, &clustered}) {
    const double before = curriculum->value(kTasks[3]);
    curriculum->update(kTasks[0], won);
    EXPECT_EQ(curriculum->value(kTasks[3]) < before, curriculum == &clustered) << "heat a pan is like heat a mug";
    EXPECT_DOUBLE_EQ(curriculum->value(kTasks[2]), before);
  }
}

TEST(TaskCurriculum, TakesAnIterationsEpisodesOfAClusterAsOneGroup) {
  const auto clusters = [] { return std::make_unique<TaskClusters>(kFirstWord, 0.9, kTasks); };
  TaskCurriculum split(kTasks, {.generated_share = 0}, {}, clusters());
  TaskCurriculum whole(kTasks, {.generated_share = 0}, {}, clusters());
  (void)split.next(2, Rng(1));
  (void)whole.next(2, Rng(1));
  split.update(kTasks[0], std::vector<double>{1, 1});
  split.update(kTasks[3], std::vector<double>{0, 0});
  whole.update(kTasks[0], std::vector<double>{1, 1, 0, 0});
  EXPECT_DOUBLE_EQ(split.value(kTasks[0]), whole.value(kTasks[0])) << "one group, forgotten once";
  TaskCurriculum resumed(kTasks, {.generated_share = 0}, {}, clusters());
  resumed.restore(split.save());
  EXPECT_EQ(resumed.save(), split.save());
}

}  // namespace
}  // namespace dreamgym
