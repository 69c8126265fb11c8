#include "dreamgym/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

/// While it lives, no file of this process can grow past max_bytes: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t max_bytes) : signal_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = max_bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_handler_)(int);
};

/// The error f throws; fails the test if it throws none.
template <class F>
Error error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {ErrorKind::kUnsupported, ""};
}

void write_raw(const Path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

std::vector<std::string> lines_of(const Path& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    EXPECT_EQ(number, lines.size() + 1);
    lines.emplace_back(line);
    return true;
  });
  return lines;
}

class FileTest : public testing::Test {
 protected:
  [[nodiscard]] Path in_folder(const char* name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
};

using ReadFile = FileTest;
using WriteFile = FileTest;
using MakeFolder = FileTest;
using ForEachLine = FileTest;
using LineWriterTest = FileTest;
using FolderLockTest = FileTest;

TEST_F(ReadFile, ReturnsEveryByte) {
  const std::string bytes("a\0b\r\n\xff", 6);
  for (const std::string& content : {std::string(), bytes, std::string(300'000, 'x') + bytes}) {
    write_raw(in_folder("f"), content);
    EXPECT_EQ(read_file(in_folder("f")), content);
  }
}

TEST_F(ReadFile, ReadsFilesThatDontKnowTheirSize) {
  EXPECT_TRUE(contains(read_file("/proc/self/status"), "Pid:"));
}

TEST_F(ReadFile, NamesTheMissingFile) {
  const Error error = error_of([&] { read_file(in_folder("absent.json")); });
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_TRUE(contains(error.what(), in_folder("absent.json").string())) << error.what();
  EXPECT_TRUE(contains(error.what(), "No such file")) << error.what();
}

TEST_F(ReadFile, RefusesAFolder) {
  const Error error = error_of([&] { read_file(folder_.path()); });
  EXPECT_EQ(error.kind(), ErrorKind::kIo);
  EXPECT_TRUE(contains(error.what(), "Is a directory")) << error.what();
}

TEST_F(WriteFile, ReplacesTheContentAndLeavesNothingElse) {
  const std::string bytes("\0\xff\n", 3);
  write_file(in_folder("f"), "first, and longer");
  write_file(in_folder("f"), bytes);
  EXPECT_EQ(read_file(in_folder("f")), bytes);
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"f"});
}

TEST_F(WriteFile, TakesAPathWithoutFolder) {
  const Path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  write_file("bare", "x");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(in_folder("bare")), "x");
}

TEST_F(WriteFile, LeavesTheOldFileWholeWhenTheDiskIsFull) {
  write_file(in_folder("f"), "old");
  const Error error = error_of([&] {
    const FullDisk full(4096);
    write_file(in_folder("f"), std::string(10'000, 'n'));
  });
  EXPECT_EQ(error.kind(), ErrorKind::kIo);
  EXPECT_TRUE(contains(error.what(), in_folder("f").string())) << error.what();
  EXPECT_TRUE(contains(error.what(), "unchanged")) << error.what();
  EXPECT_EQ(read_file(in_folder("f")), "old");
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"f"});
}

TEST_F(WriteFile, NamesTheMissingFolder) {
  const Error error = error_of([&] { write_file(in_folder("absent") / "f", "x"); });
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_TRUE(contains(error.what(), "folder must exist")) << error.what();
}

TEST_F(WriteFile, LeavesAFolderOfThatNameAlone) {
  make_folder(in_folder("f") / "inner");
  EXPECT_EQ(error_of([&] { write_file(in_folder("f"), "x"); }).kind(), ErrorKind::kIo);
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"f"});
}

TEST_F(WriteFile, TakesOverTheTemporaryFileOfACrashedWriter) {
  write_raw(in_folder("f.0.tmp"), "half of something much longer than the new content");
  write_file(in_folder("f"), "new");
  EXPECT_EQ(read_file(in_folder("f")), "new");
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"f"});
}

TEST_F(WriteFile, GivesAReaderOneVersionOrTheOtherWhileSeveralWrite) {
  const Path path = in_folder("f");
  const std::string a(50'000, 'a');
  const std::string b(60'000, 'b');
  write_file(path, a);
  {
    std::vector<std::jthread> writers;
    for (const std::string* content : {&a, &b}) {
      writers.emplace_back([&path, content] {
        for (int i = 0; i < 10; ++i) {
          write_file(path, *content);
        }
      });
    }
    for (int i = 0; i < 50; ++i) {
      const std::string seen = read_file(path);
      ASSERT_TRUE(seen == a || seen == b) << seen.size() << " bytes";
    }
  }
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"f"});
}

TEST_F(MakeFolder, MakesParentsAndAcceptsWhatIsThere) {
  make_folder(in_folder("a") / "b" / "c");
  make_folder(in_folder("a") / "b" / "c");
  EXPECT_TRUE(std::filesystem::is_directory(in_folder("a") / "b" / "c"));
}

TEST_F(MakeFolder, NamesTheFileInTheWay) {
  write_raw(in_folder("a"), "");
  for (const Path& folder : {in_folder("a"), in_folder("a") / "b" / "c"}) {
    const Error error = error_of([&] { make_folder(folder); });
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_TRUE(contains(error.what(), in_folder("a").string() + " is a file")) << error.what();
  }
}

TEST_F(MakeFolder, NamesTheFolderThatTakesNoNewOnes) {
  const Error error = error_of([] { make_folder("/proc/dreamgym/runs"); });
  EXPECT_EQ(error.kind(), ErrorKind::kIo);
  EXPECT_TRUE(contains(error.what(), "/proc/dreamgym/runs in /proc:")) << error.what();
}

TEST_F(ForEachLine, StripsBothLineEnds) {
  write_raw(in_folder("f"), "a\r\n\nb\nc\rd\r\n last");
  EXPECT_EQ(lines_of(in_folder("f")), (std::vector<std::string>{"a", "", "b", "c\rd", " last"}));
}

TEST_F(ForEachLine, SeesNoLineAfterTheLastNewline) {
  write_raw(in_folder("f"), "");
  EXPECT_EQ(lines_of(in_folder("f")), std::vector<std::string>{});
  write_raw(in_folder("f"), "a\n");
  EXPECT_EQ(lines_of(in_folder("f")), std::vector<std::string>{"a"});
}

TEST_F(ForEachLine, PutsLinesTogetherThatCrossReadBoundaries) {
  std::vector<std::string> expected;
  std::string content;
  for (const std::size_t length : {65'535U, 65'536U, 1U, 200'000U, 0U, 65'534U}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    content += expected.back() + "\r\n";
  }
  write_raw(in_folder("f"), content);
  EXPECT_EQ(lines_of(in_folder("f")), expected);
}

TEST_F(ForEachLine, StopsWhenTold) {
  write_raw(in_folder("f"), "a\nb\nc\n");
  std::size_t last = 0;
  for_each_line(in_folder("f"), [&](std::size_t number, std::string_view) {
    last = number;
    return number < 2;
  });
  EXPECT_EQ(last, 2U);
}

TEST_F(ForEachLine, NamesTheMissingFile) {
  EXPECT_EQ(error_of([&] { lines_of(in_folder("absent")); }).kind(), ErrorKind::kNotFound);
}

TEST_F(LineWriterTest, AppendsLinesAcrossReopening) {
  LineWriter(in_folder("f")).write_line("a");
  LineWriter writer(in_folder("f"));
  EXPECT_EQ(writer.size_bytes(), 2U);
  writer.write_line("");
  writer.write_line("bc");
  writer.sync();
  EXPECT_EQ(writer.size_bytes(), 6U);
  EXPECT_EQ(read_file(in_folder("f")), "a\n\nbc\n");
}

TEST_F(LineWriterTest, CutsTheHalfLineACrashLeft) {
  write_raw(in_folder("f"), "whole\n{\"half\":");
  LineWriter(in_folder("f")).write_line("next");
  EXPECT_EQ(read_file(in_folder("f")), "whole\nnext\n");

  write_raw(in_folder("f"), "a\n" + std::string(200'000, 'h'));
  EXPECT_EQ(LineWriter(in_folder("f")).size_bytes(), 2U);

  write_raw(in_folder("f"), std::string(200'000, 'h'));
  EXPECT_EQ(LineWriter(in_folder("f")).size_bytes(), 0U);
  EXPECT_EQ(read_file(in_folder("f")), "");
}

TEST_F(LineWriterTest, KeepsOnlyWholeLinesWhenTheDiskIsFull) {
  LineWriter writer(in_folder("f"));
  writer.write_line("before");
  const Error error = error_of([&] {
    const FullDisk full(4096);
    writer.write_line(std::string(10'000, 'n'));
  });
  EXPECT_EQ(error.kind(), ErrorKind::kIo);
  EXPECT_EQ(read_file(in_folder("f")), "before\n");
  EXPECT_EQ(writer.size_bytes(), 7U);
  writer.write_line("after");
  EXPECT_EQ(read_file(in_folder("f")), "before\nafter\n");
}

TEST_F(LineWriterTest, NamesAFullDevice) {
  LineWriter writer("/dev/full");
  const Error error = error_of([&] { writer.write_line("x"); });
  EXPECT_TRUE(contains(error.what(), "/dev/full: No space left on device")) << error.what();
  EXPECT_TRUE(contains(error.what(), "hint: free some disk space")) << error.what();
}

TEST_F(LineWriterTest, GoesBackToAnEarlierSize) {
  LineWriter writer(in_folder("f"));
  writer.write_line("kept");
  const std::uint64_t checkpoint = writer.size_bytes();
  writer.write_line("lost");
  writer.truncate(checkpoint);
  EXPECT_EQ(writer.size_bytes(), checkpoint);
  writer.write_line("again");
  EXPECT_EQ(read_file(in_folder("f")), "kept\nagain\n");
}

TEST_F(LineWriterTest, RefusesToGrowByTruncateAndNewlinesInALine) {
  LineWriter writer(in_folder("f"));
  EXPECT_THROW(writer.truncate(1), LogicError);
  EXPECT_THROW(writer.write_line("a\nb"), LogicError);
  EXPECT_EQ(read_file(in_folder("f")), "");
}

TEST_F(LineWriterTest, WritesOnAfterAMove) {
  LineWriter first(in_folder("f"));
  first.write_line("a");
  LineWriter second = std::move(first);
  second.write_line("b");
  EXPECT_EQ(read_file(in_folder("f")), "a\nb\n");
}

TEST_F(FolderLockTest, RefusesASecondHolderAndNamesTheFirst) {
  const FolderLock lock(folder_.path());
  const Error error = error_of([&] { const FolderLock second(folder_.path()); });
  EXPECT_EQ(error.kind(), ErrorKind::kBusy);
  EXPECT_TRUE(contains(error.what(), "process " + std::to_string(::getpid()))) << error.what();
  EXPECT_TRUE(contains(error.what(), folder_.path().string())) << error.what();
}

TEST_F(FolderLockTest, IsFreeAgainAfterDestruction) {
  {
    const FolderLock lock(folder_.path());
  }
  EXPECT_NO_THROW(const FolderLock again(folder_.path()));
}

TEST_F(FolderLockTest, MovesWithItsHolder) {
  FolderLock first(folder_.path());
  {
    const FolderLock second = std::move(first);
    EXPECT_EQ(error_of([&] { const FolderLock third(folder_.path()); }).kind(), ErrorKind::kBusy);
  }
  EXPECT_NO_THROW(const FolderLock again(folder_.path()));
}

TEST_F(FolderLockTest, IsFreedWhenItsProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FolderLock lock(folder_.path());
    static_cast<void>(::write(ready[1], "x", 1));
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const Error error = error_of([&] { const FolderLock lock(folder_.path()); });
  EXPECT_TRUE(contains(error.what(), "process " + std::to_string(child))) << error.what();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_NO_THROW(const FolderLock again(folder_.path()));
}

TEST_F(FolderLockTest, NamesAMissingFolder) {
  EXPECT_EQ(error_of([&] { const FolderLock lock(in_folder("absent")); }).kind(),
            ErrorKind::kNotFound);
}

TEST(Checksum, IsCrc32) {
  EXPECT_EQ(checksum("123456789"), 0xcbf43926U);  // the published check value
  EXPECT_EQ(checksum(""), 0U);
  EXPECT_EQ(checksum({}, 7U), 7U) << "nothing changes nothing";
}

TEST(Checksum, SeesOneFlippedBit) {
  std::string bytes(1000, 'a');
  const std::uint32_t before = checksum(bytes);
  bytes[500] = static_cast<char>(bytes[500] ^ 1);
  EXPECT_NE(checksum(bytes), before);
}

}  // namespace
}  // namespace dreamgym
