#include "dreamgym/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

[[noreturn]] void fail(const Path& path, int code) {
  throw Error(code == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
              fmt::format("can't read {}: {}", path.string(), std::strerror(code)));  // NOLINT
}

}  // namespace

MappedFile::MappedFile(const Path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    fail(path, errno);
  }
  struct stat status{};
  int code = ::fstat(file, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (code == 0 && status.st_size > 0) {  // an empty file can't be mapped, and needs no mapping
    size_ = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
      code = errno;
    } else {
      data_ = static_cast<const char*>(mapped);
    }
  }
  ::close(file);
  if (code != 0) {
    fail(path, code);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(const_cast<char*>(data_),
             size_);  // NOLINT(cppcoreguidelines-pro-type-const-cast): as mmap gave it
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace dreamgym
