#include "dreamgym/train/checkpoint.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

Blobs some_blobs() { return {{"state", "a 1\nb 2\n"}, {"weights", std::string(1000, '\x7f')}}; }

TEST(Checkpoint, ComesBackAsItWas) {
  EXPECT_EQ(decode_checkpoint(encode_checkpoint(some_blobs()), "x"), some_blobs());
  EXPECT_EQ(decode_checkpoint(encode_checkpoint({}), "x"), Blobs{});
}

TEST(Checkpoint, RefusesEveryCutAndEveryFlippedBit) {
  const std::string good = encode_checkpoint(some_blobs());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW((void)decode_checkpoint(good.substr(0, size), "x"), Error) << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    EXPECT_THROW((void)decode_checkpoint(bad, "x"), Error) << i;
  }
}

TEST(Checkpoint, NamesAnotherVersion) {
  std::string other = encode_checkpoint(some_blobs());
  other.replace(0, std::string("dreamgym-checkpoint 1").size(), "dreamgym-checkpoint 9");
  try {
    (void)decode_checkpoint(other, "run/step.ckpt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos);
  }
}

TEST(CheckpointFolder, FallsBackToTheOneBeforeAndSaysSo) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  EXPECT_FALSE(checkpoints.load_latest().has_value());
  EXPECT_FALSE(CheckpointFolder::any_in(folder.path()));
  for (std::uint64_t number = 1; number <= 4; ++number) {
    checkpoints.save(number, {{"state", std::to_string(number)}});
  }
  EXPECT_EQ(checkpoints.load_latest()->number, 4U);
  EXPECT_TRUE(CheckpointFolder::any_in(folder.path()));
  const Path newest = folder.path() / "step-00000004.ckpt";
  write_file(newest, read_file(newest).substr(0, 30));
  const auto loaded = checkpoints.load_latest();
  EXPECT_EQ(loaded->number, 3U);
  EXPECT_EQ(loaded->blobs.at("state"), "3");
  EXPECT_NE(loaded->skipped.find("step-00000004"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "step-00000002.ckpt"));
}

TEST(CheckpointFolder, SaysWhenNothingIsWhole) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  write_file(folder.path() / "step-00000001.ckpt", "garbage");
  EXPECT_THROW((void)checkpoints.load_latest(), Error);
}

}  // namespace
}  // namespace dreamgym
