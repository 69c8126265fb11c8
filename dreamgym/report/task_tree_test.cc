#include "dreamgym/report/task_tree.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/report/report.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

std::vector<TaskRecord> family() {
  return {{.phase = "dream", .id = "a", .instruction = "put a mug in desk"},
          {"dream", "a~1", "a", "put a hot mug in <desk>", 3, 0.4, 0.2, false, "no plan"},
          {"dream", "a~1~2", "a~1", "put two mug in desk", 0, 0.5, 0.16, std::nullopt, ""}};
}

TEST(TaskRecords, AreReadBackAsWritten) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "tasks.jsonl";
  write_task_records(file, family());
  EXPECT_EQ(read_task_records(file), family());
}

TEST(TaskRecords, NameTheLineThatIsNone) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "tasks.jsonl";
  for (const char* bad : {"{\"id\": 3}\n", "[]\n"}) {
    write_file(file, "{}\n" + std::string(bad));
    try {
      (void)read_task_records(file);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("tasks.jsonl:2"), std::string::npos) << error.what();
    }
  }
}

TEST(TaskRecords, AreInTheReport) {
  const TemporaryFolder folder;
  write_task_records(folder.path() / "tasks.jsonl", family());
  const std::string page = render_report(read_run_folder(folder.path()));
  EXPECT_NE(page.find("put a hot mug in \\u003cdesk\\u003e"), std::string::npos);
  EXPECT_NE(page.find("function taskTree()"), std::string::npos);
}

}  // namespace
}  // namespace dreamgym
