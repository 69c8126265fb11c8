#include "dreamgym/curriculum/task_curriculum.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// How often each of ten tasks is drawn, task i having won i of 9 episodes.
std::vector<std::size_t> drawn(TaskChoice choice) {
  TaskCurriculum curriculum(some_tasks(10), {.choice = choice, .generated_share = 0, .value_bias = 1}, {});
  const auto tasks = some_tasks(10);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::vector<double> returns(9, 0.0);
    std::fill_n(returns.begin(), i, 1.0);
    curriculum.update(tasks[i], returns);
  }
  std::vector<std::size_t> counts(10);
  for (std::size_t iteration = 0; iteration < 2000; ++iteration) {
    for (const Task& task : curriculum.next(2, Rng(iteration))) {
      ++counts[std::stoul(task.id)];
    }
  }
  return counts;
}

TEST(TaskCurriculum, DrawsByTheChosenRule) {
  const auto uniform = drawn(TaskChoice::kUniform);
  EXPECT_GT(*std::ranges::min_element(uniform), 300U);
  EXPECT_LT(*std::ranges::max_element(uniform), 500U);
  const auto hardest = drawn(TaskChoice::kHardest);
  EXPECT_EQ(hardest[0], 2000U);
  EXPECT_EQ(hardest[1], 2000U);
  EXPECT_EQ(hardest[2], 0U);
  for (const auto& middle : {drawn(TaskChoice::kValue), drawn(TaskChoice::kAlpha), drawn(TaskChoice::kReplay)}) {
    EXPECT_GT(middle[4] + middle[5], 2 * (middle[0] + middle[9]));
    EXPECT_GT(middle[0], 0U) << "none is forgotten";
  }
  EXPECT_GT(drawn(TaskChoice::kReplay)[0], 100U) << "staleness brings every task back";
  EXPECT_EQ(task_choice_named("replay"), TaskChoice::kReplay);
  EXPECT_EQ(task_choice_name(TaskChoice::kAlpha), "alpha");
  EXPECT_THROW((void)task_choice_named("random"), Error);
}

TEST(TaskCurriculum, RefusesVariationsThatAreNone) {
  const std::vector<std::string> proposals = {"", "   ", "task 0", "Task, the 0!", "task 1 then 2", std::string(10'000, 'x'), "task 2 then 1"};
  TaskCurriculum curriculum(some_tasks(3), {.generated_share = 0.5}, [&](std::span<const Task> seeds, const Rng&) {
    std::vector<Task> tasks;
    for (const std::string& proposal : proposals) {
      tasks.push_back(seeds[0]);
      tasks.back().id = seeds[0].id + "~";
      tasks.back().parent_task = seeds[0].id;
      tasks.back().instruction = proposal;
    }
    return tasks;
  });
  (void)curriculum.next(4, Rng(1));
  const CurriculumCounts& counts = curriculum.counts();
  EXPECT_EQ(counts.empty, 2U);
  EXPECT_EQ(counts.copies, 1U);
  EXPECT_EQ(counts.near_copies, 1U);
  EXPECT_EQ(counts.too_long, 1U);
  EXPECT_EQ(counts.generated, 2U) << "the order of the words makes another task";
  ASSERT_EQ(curriculum.lineage().size(), 2U);
  EXPECT_EQ(curriculum.lineage()[0].instruction, "task 1 then 2");
  EXPECT_FALSE(curriculum.lineage()[0].parent.empty());
}

TEST(TaskCurriculum, SortsTasksIntoPools) {
  const auto tasks = some_tasks(4);
  TaskCurriculum curriculum(tasks, {.generated_share = 0}, {});
  curriculum.update(tasks[1], std::vector<double>(8, 1.0));
  curriculum.update(tasks[2], std::vector<double>(8, 0.0));
  curriculum.update(tasks[3], std::vector<double>{1, 0, 1, 0});
  const TaskPools pools = curriculum.pools();
  EXPECT_EQ(pools.unseen, 1U);
  EXPECT_EQ(pools.saturated, 1U);
  EXPECT_EQ(pools.hopeless, 1U);
  EXPECT_EQ(pools.learnable, 1U);
}

}  // namespace
}  // namespace dreamgym
