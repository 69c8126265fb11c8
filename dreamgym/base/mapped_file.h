// A file's bytes in memory without a copy, read from the disk as they are looked at.
#pragma once

#include <cstddef>
#include <string_view>

#include "dreamgym/base/file.h"

namespace dreamgym {

/// Views of its bytes are valid as long as it lives. Who cuts the file short meanwhile kills the
/// process that reads there; files are replaced whole (write_file), which is safe.
/// Thread safety: const members are reentrant.
class MappedFile {
 public:
  /// @throws Error kNotFound or kIo naming the path.
  explicit MappedFile(const Path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dreamgym
