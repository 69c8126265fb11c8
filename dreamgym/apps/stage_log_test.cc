#include "dreamgym/apps/stage_log.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(StageLog, RemembersStagesAcrossProcesses) {
  const TemporaryFolder folder;
  {
    StageLog log(folder.path());
    EXPECT_FALSE(log.done("dream"));
    EXPECT_THROW((void)log.record("dream"), Error);
    StageRecord record;
    record.real_steps = 12;
    record.outcomes = {1, 0, 1};
    record.measures["gap"] = -0.125;
    record.note = "a \"note\"\nof two lines";
    log.finish("dream", record, "1 2 3");
  }
  const StageLog log(folder.path());
  ASSERT_TRUE(log.done("dream"));
  EXPECT_EQ(log.record("dream").real_steps, 12U);
  EXPECT_EQ(log.record("dream").outcomes, (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(log.record("dream").measures.at("gap"), -0.125);
  EXPECT_EQ(log.record("dream").note, "a \"note\"\nof two lines");
  EXPECT_EQ(log.recorder_state(), "1 2 3");
}

TEST(StageLog, TakesNotesOfWhatAModelSaidWhateverItsBytes) {
  const TemporaryFolder folder;
  StageLog log(folder.path());
  StageRecord record;
  record.note = "got: \x87";
  log.finish("fidelity", record, "1 2 3");
  EXPECT_TRUE(StageLog(folder.path()).done("fidelity"));
}

TEST(StageLog, NamesAnotherVersionAndDamage) {
  const TemporaryFolder folder;
  const auto kind_of = [&](const std::string& text) {
    write_file(folder.path() / "progress.json", text);
    try {
      const StageLog log(folder.path());
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("progress.json"), std::string::npos);
      return error.kind();
    }
    return ErrorKind::kInvalidArgument;
  };
  EXPECT_EQ(kind_of(R"({"version":7,"recorder":"","stages":{}})"), ErrorKind::kUnsupported);
  EXPECT_EQ(kind_of(R"({"version":1,"reco)"), ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of(R"({"version":1,"recorder":"","stages":{"a":{}}})"), ErrorKind::kCorrupt);
}

TEST(StageLog, ForgetsTheStagesThatAreNotKept) {
  const TemporaryFolder folder;
  StageLog log(folder.path());
  log.finish("dream", {}, "1 2 3");
  log.finish("s2r", {}, "4 5 6");
  log.keep_only({"dream", "check"});
  const StageLog again(folder.path());
  EXPECT_TRUE(again.done("dream"));
  EXPECT_FALSE(again.done("s2r"));
  EXPECT_EQ(again.recorder_state(), "4 5 6");
}

}  // namespace
}  // namespace dreamgym
