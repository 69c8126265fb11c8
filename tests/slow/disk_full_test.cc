// A disk that fills up in the middle of a run: a clear error, and nothing that was written is lost.

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstring>
#include <string>

#include "tests/slow/small_run.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

// A file system in memory; unmounted at the end.
class SmallDisk {
 public:
  SmallDisk(Path path, const std::string& size) : path_(std::move(path)) {
    make_folder(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      umount2(path_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] bool grow(const std::string& size) const {
    return mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()) == 0;
  }

 private:
  Path path_;
  bool mounted_ = false;
};

int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DiskFull, StopsWithAClearErrorAndGoesOnOnceThereIsRoom) {
  const TemporaryFolder folder;
  const Path straight = folder.path() / "straight";
  ASSERT_EQ(exit_status(start(small_run(straight))), 0);
  int stopped = 0;
  for (const char* size : {"64k", "400k", "1m", "2m", "4m", "6m", "9m"}) {
    const SmallDisk disk(folder.path() / size, size);
    if (!disk.mounted()) {
      GTEST_SKIP() << "a file system can't be mounted here: " << std::strerror(errno);
    }
    const Path run = folder.path() / size / "run";
    const Path errors = folder.path() / (std::string(size) + ".txt");
    const int status = exit_status(start(small_run(run), errors.c_str()));
    if (status != 0) {
      ++stopped;
      EXPECT_TRUE(status == 1 || status == 2) << size << ": " << status;
      const std::string said = read_file(errors);
      EXPECT_TRUE(contains(said, "space") || contains(said, "full")) << size << ": " << said;
    }
    ASSERT_TRUE(disk.grow("200m"));
    ASSERT_EQ(exit_status(start(small_run(run), errors.c_str())), 0)
        << size << ": " << read_file(errors);
    EXPECT_EQ(fingerprint(run), fingerprint(straight)) << size;
  }
  EXPECT_GE(stopped, 4);
}

}  // namespace
}  // namespace dreamgym
