#include "dreamgym/base/mapped_file.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(MappedFile, ShowsTheBytes) {
  const TemporaryFolder folder;
  write_file(folder.path() / "a", std::string("x\0y", 3));
  MappedFile file(folder.path() / "a");
  EXPECT_EQ(file.bytes(), std::string_view("x\0y", 3));
  const MappedFile moved(std::move(file));
  write_file(folder.path() / "a", "other");  // replaced, not changed
  EXPECT_EQ(moved.bytes(), std::string_view("x\0y", 3));
}

TEST(MappedFile, TakesAnEmptyFileAndRefusesWhatIsNone) {
  const TemporaryFolder folder;
  write_file(folder.path() / "empty", "");
  EXPECT_EQ(MappedFile(folder.path() / "empty").bytes(), "");
  EXPECT_THROW(MappedFile(folder.path() / "none"), Error);
  EXPECT_THROW(MappedFile(folder.path()), Error);
}

TEST(WriteFileInPieces, LeavesTheOldFileWhereAPieceFails) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "a";
  write_file(path, [](const auto& write) {
    write("one ");
    write("two");
  });
  EXPECT_EQ(read_file(path), "one two");
  EXPECT_EQ(checksum("two", checksum("one ")), checksum("one two"));
  EXPECT_THROW(write_file(path,
                          [](const auto& write) {
                            write("half");
                            throw Error(ErrorKind::kIo, "no more");
                          }),
               Error);
  EXPECT_EQ(read_file(path), "one two");
}

}  // namespace
}  // namespace dreamgym
