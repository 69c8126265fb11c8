#include "dreamgym/apps/task_provenance.h"

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

Task named(const std::string& id, const std::string& parent = "") {
  Task task;
  task.id = id;
  task.parent_task = parent;
  task.instruction = "do " + id;
  return task;
}

TEST(TaskProvenance, KeepsVariationsWithTheirAncestorsAndTheAudit) {
  const std::vector<Task> original = {named("a"), named("b")};
  TaskCurriculum curriculum(original, {.generated_share = 0.5}, [](std::span<const Task>, const Rng&) {
    return std::vector<Task>{named("a1", "a"), named("a2", "a1"), named("x1", "gone")};
  });
  (void)curriculum.next(2, Rng(1));
  std::vector<std::string> asked;
  const auto audit = [&](const Task& variation, const Task& root) -> Expected<void, std::string> {
    asked.push_back(variation.id + " in " + root.id);
    if (variation.id == "a2") {
      return Unexpected<std::string>("no such thing");
    }
    return {};
  };
  const auto records = task_records("dream", curriculum, original, audit);
  EXPECT_EQ(asked, (std::vector<std::string>{"a1 in a", "a2 in a"}));
  ASSERT_EQ(records.size(), 4U) << "three variations and the one original that was varied";
  EXPECT_EQ(records[1].remark, "no such thing");
  EXPECT_FALSE(records[2].solvable.has_value()) << "its parent has left the pool";
  EXPECT_EQ(records[3].id, "a");
  EXPECT_DOUBLE_EQ(solvable_share(records).value_or(0), 0.5);
  EXPECT_FALSE(solvable_share(task_records("dream", curriculum, original, {})).has_value());
}

TEST(TaskProvenance, ReplacesAPhaseThatIsTrainedAgain) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "tasks.jsonl";
  keep_task_records(file, "dream", {{.phase = "dream", .id = "a"}});
  keep_task_records(file, "dream_ppo", {{.phase = "dream_ppo", .id = "b"}});
  keep_task_records(file, "dream", {{.phase = "dream", .id = "c"}});
  const auto all = read_task_records(file);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "b");
  EXPECT_EQ(all[1].id, "c");
}

}  // namespace
}  // namespace dreamgym
