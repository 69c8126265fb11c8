#include "dreamgym/curriculum/task_curriculum.h"

#include <gtest/gtest.h>

#include <map>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

std::vector<Task> some_tasks(std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i) {
    tasks[i].id = std::to_string(i);
    tasks[i].instruction = "task " + std::to_string(i);
  }
  return tasks;
}

std::vector<Task> vary(std::span<const Task> seeds, const Rng& rng) {
  std::vector<Task> out;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Task task = seeds[i];
    task.parent_task = task.id;
    task.instruction += " varied " + std::to_string(rng.fork("v", i).next() % 1000);
    out.push_back(task);
  }
  return out;
}

TEST(TaskCurriculum, KeepsGeneratedTasksUnderTheirShare) {
  TaskCurriculum curriculum(some_tasks(20), {.generated_share = 0.25}, vary);
  for (std::size_t iteration = 0; iteration < 20; ++iteration) {
    std::size_t generated = 0;
    const auto tasks = curriculum.next(12, Rng(iteration));
    EXPECT_EQ(tasks.size(), 12U);
    for (const Task& task : tasks) {
      generated += task.parent_task.empty() ? 0 : 1;
    }
    EXPECT_EQ(generated, 3U);
  }
  EXPECT_GT(curriculum.counts().generated, 20U);
}

TEST(TaskCurriculum, DrawsNoTaskTwiceWhileThereAreEnough) {
  TaskCurriculum curriculum(some_tasks(12), {.generated_share = 0}, {});
  std::map<std::string, int> drawn;
  for (const Task& task : curriculum.next(12, Rng(1))) {
    ++drawn[task.id];
  }
  EXPECT_EQ(drawn.size(), 12U);
  EXPECT_EQ(curriculum.next(30, Rng(2)).size(), 30U);
}

TEST(TaskCurriculum, PrefersTasksTheAgentSometimesSolves) {
  const auto tasks = some_tasks(10);
  TaskCurriculum curriculum(tasks, {.generated_share = 0, .value_bias = 1.0}, {});
  for (int i = 0; i < 10; ++i) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const double odd = t == 3 ? 0.0 : 1.0;
      curriculum.update(tasks[t], std::vector<double>{1, odd, 1, odd});
    }
  }
  EXPECT_GT(curriculum.value(tasks[3]), 3 * curriculum.value(tasks[0]));
  int drawn = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    drawn += curriculum.next(1, Rng(i)).front().id == "3" ? 1 : 0;
  }
  EXPECT_GT(drawn, 50);  // uniform would give 20
}

TEST(TaskCurriculum, ContinuesFromItsSavedState) {
  TaskCurriculum first(some_tasks(8), {}, vary);
  for (std::uint64_t i = 0; i < 5; ++i) {
    for (const Task& task : first.next(6, Rng(i))) {
      first.update(task, std::vector<double>{1, 0, static_cast<double>(i % 2)});
    }
  }
  TaskCurriculum second(some_tasks(8), {}, vary);
  second.restore(first.save());
  EXPECT_EQ(second.save(), first.save());
  EXPECT_EQ(second.next(6, Rng(9)), first.next(6, Rng(9)));
  EXPECT_THROW(second.restore("tasks 3\n{}"), Error);
}

TEST(TaskCurriculum, RefusesImpossibleSettings) {
  EXPECT_THROW(TaskCurriculum({}, {}, {}), Error);
  EXPECT_THROW(TaskCurriculum(some_tasks(2), {.generated_share = 1.5}, {}), Error);
}

}  // namespace
}  // namespace dreamgym
