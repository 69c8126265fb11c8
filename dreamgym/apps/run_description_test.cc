#include "dreamgym/apps/run_description.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(CheckSameConfig, NamesEverythingThatChangedAndWhatGoingOnDoes) {
  const TemporaryFolder folder;
  const ExperimentConfig before = load_experiment("", {});
  write_run_description(folder.path(), before);
  const ExperimentConfig now =
      load_experiment("", {"dream.iterations=3", "dream.loss.clip_high=0.28", "threads=7"});
  const std::string message = message_of([&] {
    check_same_config(folder.path(), now, false);
    return 0;
  });
  EXPECT_TRUE(contains(message, "dream.iterations: 18 -> 3")) << message;
  EXPECT_TRUE(contains(message, "dream.loss.clip_high: 0.2 -> 0.28")) << message;
  EXPECT_FALSE(contains(message, "threads")) << message;
  EXPECT_TRUE(contains(message, "keep what they were made with")) << message;
  EXPECT_TRUE(contains(message, "--force")) << message;
}

TEST(CheckSameConfig, GoesOnWithTheNewSettingsWhenForced) {
  const TemporaryFolder folder;
  write_run_description(folder.path(), load_experiment("", {}));
  const ExperimentConfig now = load_experiment("", {"seed=5"});
  check_same_config(folder.path(), now, true);
  EXPECT_EQ(read_run_config(folder.path()).seed, 5U);
  check_same_config(folder.path(), now, false);
}

TEST(BegunBy, SaysWhoWroteTheRunAndNothingWhereThatIsNotKnown) {
  const TemporaryFolder folder;
  EXPECT_EQ(begun_by(folder.path()), "");
  write_run_description(folder.path(), load_experiment("", {}));
  EXPECT_EQ(begun_by(folder.path()), program_version());
  write_file(folder.path() / "run.json", "[1");
  EXPECT_EQ(begun_by(folder.path()), "");
}

}  // namespace
}  // namespace dreamgym
