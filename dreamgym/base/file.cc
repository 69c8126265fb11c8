#include "dreamgym/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;
constexpr mode_t kFileMode = 0666;  // less the process's umask

std::string hint_for(int code) {
  switch (code) {
    case ENOENT:
      return "check the path; its folder must exist";
    case ENOSPC:
    case EDQUOT:
      return "free some disk space and run it again; what was there before is unchanged";
    case EFBIG:
      return "raise the file size limit (ulimit -f); what was there before is unchanged";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the permissions of the file and its folder";
    case EISDIR:
    case ENOTDIR:
      return "a folder stands where a file is expected, or the other way round";
    default:
      return "";
  }
}

/// Throws the Error for a failed system call, e.g. what = "can't write".
[[noreturn]] void fail(std::string_view what, const Path& path, int code) {
  const ErrorKind kind = code == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo;
  throw Error(kind,
              fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(code)),
              hint_for(code));
}

/// Calls f again as long as a signal interrupts it.
template <class F>
auto retry(const F& f) {
  auto result = f();
  while (result < 0 && errno == EINTR) {
    result = f();
  }
  return result;
}

/// An open file, closed when it goes. Invariant: fd_ is -1 only after a move.
class OpenFile {
 public:
  OpenFile(const Path& path, int flags, std::string_view what)
      : fd_(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); })) {
    if (fd_ < 0) {
      fail(what, path, errno);
    }
  }
  ~OpenFile() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

/// Number of bytes read into the buffer, 0 at the end of the file.
std::size_t read_some(const OpenFile& file, char* buffer, std::size_t size, const Path& path) {
  const ssize_t count = retry([&] { return ::read(file.fd(), buffer, size); });
  if (count < 0) {
    fail("can't read", path, errno);
  }
  return static_cast<std::size_t>(count);
}

/// 0, or the errno of the write that failed; part of the bytes may have been written then.
int write_whole(const OpenFile& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = retry([&] { return ::write(file.fd(), bytes.data(), bytes.size()); });
    if (count < 0) {
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

void cut_file(const OpenFile& file, std::uint64_t size_bytes, const Path& path) {
  if (retry([&] { return ::ftruncate(file.fd(), static_cast<off_t>(size_bytes)); }) != 0) {
    fail("can't shorten", path, errno);
  }
}

std::uint64_t file_size(const OpenFile& file, const Path& path) {
  struct stat status{};
  if (::fstat(file.fd(), &status) != 0) {
    fail("can't inspect", path, errno);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void sync_file(const OpenFile& file, const Path& path) {
  if (retry([&] { return ::fsync(file.fd()); }) != 0) {
    fail("can't write to the disk", path, errno);
  }
}

/// Makes a rename in the folder last through a power failure.
void sync_folder(const Path& folder) {
  const OpenFile opened(folder, O_RDONLY | O_DIRECTORY, "can't open folder");
  // EINVAL: this file system has nothing to do for folders.
  if (retry([&] { return ::fsync(opened.fd()); }) != 0 && errno != EINVAL) {
    fail("can't write to the disk", folder, errno);
  }
}

Path folder_of(const Path& path) {
  return path.has_parent_path() ? path.parent_path() : Path(".");
}

/// A temporary file beside the target that nobody else is writing, empty and locked.
struct TemporaryFile {
  Path path;
  OpenFile file;
};

// A name that a crashed writer left behind is taken over, since its lock went with the process; so
// crashes don't pile up files. One that another writer holds is skipped.
TemporaryFile open_temporary(const Path& target) {
  for (int number = 0;; ++number) {
    Path path = target;
    path += fmt::format(".{}.tmp", number);
    OpenFile file(path, O_RDWR | O_CREAT, "can't write");
    if (retry([&] { return ::flock(file.fd(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) {
        continue;
      }
      fail("can't lock", path, errno);
    }
    // Another writer may have renamed it away between our open and our lock.
    struct stat ours{};
    struct stat named{};
    if (::fstat(file.fd(), &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
      cut_file(file, 0, path);
      return TemporaryFile{.path = std::move(path), .file = std::move(file)};
    }
  }
}

/// Size of the file up to and including its last newline.
std::uint64_t size_of_whole_lines(const OpenFile& file, const Path& path) {
  std::array<char, kChunkBytes> chunk{};
  std::uint64_t end = file_size(file, path);
  while (end > 0) {
    const std::uint64_t begin = end - std::min<std::uint64_t>(end, chunk.size());
    const auto count = static_cast<std::size_t>(end - begin);
    const ssize_t got =
        retry([&] { return ::pread(file.fd(), chunk.data(), count, static_cast<off_t>(begin)); });
    if (got < 0) {
      fail("can't read", path, errno);
    }
    const std::size_t newline =
        std::string_view(chunk.data(), static_cast<std::size_t>(got)).rfind('\n');
    if (newline != std::string_view::npos) {
      return begin + newline + 1;
    }
    end = begin;
  }
  return 0;
}

std::string_view without_line_end(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

std::string read_file(const Path& path) {
  const OpenFile file(path, O_RDONLY, "can't open");
  std::string bytes;
  const auto expected = static_cast<std::size_t>(file_size(file, path));
  std::size_t size = 0;
  // One byte more than expected, so that a regular file needs no second allocation to see its end;
  // pipes and files in /proc report size 0 and grow.
  bytes.resize(expected + 1);
  while (true) {
    const std::size_t count = read_some(file, bytes.data() + size, bytes.size() - size, path);
    size += count;
    if (count == 0) {
      bytes.resize(size);
      return bytes;
    }
    if (size == bytes.size()) {
      bytes.resize(size + std::max(size, kChunkBytes));
    }
  }
}

void write_file(const Path& path, std::string_view bytes) {
  write_file(path, [&](const auto& write) { write(bytes); });
}

void write_file(const Path& path,
                const std::function<void(const std::function<void(std::string_view)>&)>& produce) {
  TemporaryFile temporary = open_temporary(path);
  try {
    produce([&](std::string_view bytes) {
      if (const int code = write_whole(temporary.file, bytes); code != 0) {
        fail("can't write", path, code);
      }
    });
    sync_file(temporary.file, path);
    if (::rename(temporary.path.c_str(), path.c_str()) != 0) {
      fail("can't replace", path, errno);
    }
  } catch (...) {  // whatever it is, it goes on
    ::unlink(temporary.path.c_str());
    throw;
  }
  sync_folder(folder_of(path));
}

void make_folder(const Path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code && std::filesystem::is_directory(folder, code)) {
    return;
  }
  Path in_the_way = folder;
  while (!std::filesystem::exists(std::filesystem::symlink_status(in_the_way)) &&
         in_the_way.has_parent_path() && in_the_way != in_the_way.parent_path()) {
    in_the_way = in_the_way.parent_path();
  }
  if (!std::filesystem::is_directory(in_the_way)) {
    throw Error(ErrorKind::kIo,
                fmt::format("can't make folder {}: {} is a file, a folder is expected",
                            folder.string(),
                            in_the_way.string()),
                "move it away or choose another folder");
  }
  throw Error(
      ErrorKind::kIo,
      fmt::format(
          "can't make folder {} in {}: {}", folder.string(), in_the_way.string(), code.message()),
      hint_for(code.value()));
}

void for_each_line(const Path& path,
                   const std::function<bool(std::size_t number, std::string_view line)>& visit) {
  const OpenFile file(path, O_RDONLY, "can't open");
  std::string chunk(kChunkBytes, '\0');
  std::string unfinished;  // the line so far, where it began in an earlier chunk
  std::size_t number = 0;
  for (std::size_t count = read_some(file, chunk.data(), chunk.size(), path); count > 0;
       count = read_some(file, chunk.data(), chunk.size(), path)) {
    std::string_view rest(chunk.data(), count);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      std::string_view line = rest.substr(0, end);
      if (!unfinished.empty()) {
        line = unfinished += line;
      }
      if (!visit(++number, without_line_end(line))) {
        return;
      }
      unfinished.clear();
      rest.remove_prefix(end + 1);
    }
    unfinished += rest;
  }
  if (!unfinished.empty()) {
    visit(++number, without_line_end(unfinished));
  }
}

// Invariant: size_bytes is the end of the last whole line; bytes beyond it are there only while
// has_remains is true, after a write failed and cutting its remains failed too.
struct LineWriter::Impl {
  Path path;
  OpenFile file;
  std::uint64_t size_bytes = 0;
  bool has_remains = false;
};

LineWriter::LineWriter(Path path) {
  OpenFile file(path, O_RDWR | O_CREAT | O_APPEND, "can't append to");
  const std::uint64_t size_bytes = size_of_whole_lines(file, path);
  if (size_bytes != file_size(file, path)) {
    cut_file(file, size_bytes, path);
  }
  impl_ = std::make_unique<Impl>(
      Impl{.path = std::move(path), .file = std::move(file), .size_bytes = size_bytes});
}

LineWriter::~LineWriter() = default;
LineWriter::LineWriter(LineWriter&&) noexcept = default;
LineWriter& LineWriter::operator=(LineWriter&&) noexcept = default;

void LineWriter::write_line(std::string_view line) {
  check(!contains(line, "\n"), "a line holds no newline");
  if (impl_->has_remains) {
    truncate(impl_->size_bytes);
  }
  std::string bytes;
  bytes.reserve(line.size() + 1);
  bytes += line;
  bytes += '\n';
  if (const int code = write_whole(impl_->file, bytes); code != 0) {
    impl_->has_remains = ::ftruncate(impl_->file.fd(), static_cast<off_t>(impl_->size_bytes)) != 0;
    fail("can't append to", impl_->path, code);
  }
  impl_->size_bytes += bytes.size();
}

void LineWriter::sync() {
  sync_file(impl_->file, impl_->path);
}

std::uint64_t LineWriter::size_bytes() const {
  return impl_->size_bytes;
}

void LineWriter::truncate(std::uint64_t size_bytes) {
  check(size_bytes <= impl_->size_bytes, "a file is cut to a size it has had");
  cut_file(impl_->file, size_bytes, impl_->path);
  impl_->size_bytes = size_bytes;
  impl_->has_remains = false;
}

struct FolderLock::Impl {
  OpenFile file;
};

FolderLock::FolderLock(const Path& folder) {
  const Path path = folder / ".lock";
  OpenFile file(path, O_RDWR | O_CREAT, "can't lock");
  if (retry([&] { return ::flock(file.fd(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) {
      fail("can't lock", path, errno);
    }
    const std::string owner(trim(read_file(path)));
    throw Error(ErrorKind::kBusy,
                fmt::format("folder {} is in use by process {}",
                            folder.string(),
                            owner.empty() ? "(unknown)" : owner),
                "wait until it ends or choose another folder");
  }
  cut_file(file, 0, path);
  if (const int code = write_whole(file, fmt::format("{}\n", ::getpid())); code != 0) {
    fail("can't write", path, code);
  }
  impl_ = std::make_unique<Impl>(Impl{std::move(file)});
}

// The file stays: removing it would let a third process lock a new one while a second, which had
// opened the old one, still thinks it holds the folder.
FolderLock::~FolderLock() = default;
FolderLock::FolderLock(FolderLock&&) noexcept = default;
FolderLock& FolderLock::operator=(FolderLock&&) noexcept = default;

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) {
    return before;  // zlib takes a null pointer as a wish to begin anew
  }
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, data, bytes.size()));
}

}  // namespace dreamgym
