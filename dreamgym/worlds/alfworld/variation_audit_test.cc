#include "dreamgym/worlds/alfworld/variation_audit.h"

#include <gtest/gtest.h>

#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

Task first_task() {
  const auto tasks = make_world("alfworld")->tasks({.split = "train", .count = 1, .seed = 3, .extra = {{"receptacles", "8"}}});
  return tasks.front();
}

TEST(VariationAudit, FindsThatAWorldsOwnTaskCanBeDone) {
  const Task task = first_task();
  const auto auditor = make_world("alfworld")->make_task_auditor();
  ASSERT_NE(auditor, nullptr);
  const auto found = auditor->audit(task, task);
  EXPECT_TRUE(found.has_value()) << found.error();
}

TEST(VariationAudit, SaysWhatIsNotThere) {
  const Task original = first_task();
  const auto auditor = make_world("alfworld")->make_task_auditor();
  Task variation = original;
  variation.instruction = "put a hot unicorn in cabinet";
  EXPECT_EQ(auditor->audit(variation, original).error(), "the house has no such unicorn");
  variation.instruction = "sing a song";
  EXPECT_EQ(auditor->audit(variation, original).error(), "its sentence is none of this world's");
}

}  // namespace
}  // namespace dreamgym
