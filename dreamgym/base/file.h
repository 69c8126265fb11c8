// Files that are either whole or not there.
//
// Every failure is an Error kIo (kNotFound, kBusy) that names the path and the system's reason, and
// a write that fails (disk full) leaves what was there before. Thread safety: functions are
// reentrant; classes are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dreamgym {

using Path = std::filesystem::path;

std::string read_file(const Path& path);
/// Writes to a temporary file beside it, fsyncs, renames, fsyncs the folder.
void write_file(const Path& path, std::string_view bytes);
/// As above, for files too large to hold: `produce` is called once and hands over the bytes piece
/// by piece. What it throws leaves the old file in place.
void write_file(const Path& path,
                const std::function<void(const std::function<void(std::string_view)>&)>& produce);
/// Creates the folder and its parents. @throws Error kIo naming what is in the way.
void make_folder(const Path& folder);

/// Lines of a text file, one at a time, without holding the file; strips "\n" and "\r\n".
/// @param visit  (line number from 1, line); return false to stop.
void for_each_line(const Path& path,
                   const std::function<bool(std::size_t number, std::string_view line)>& visit);

/// Appends whole lines; a line that could not be written whole is cut off again before the Error.
class LineWriter {
 public:
  /// Opens for append (creating it). A last line without newline, left by a crash, is cut off.
  explicit LineWriter(Path path);
  ~LineWriter();
  LineWriter(LineWriter&&) noexcept;
  LineWriter& operator=(LineWriter&&) noexcept;
  void write_line(std::string_view line);
  void sync();  ///< to the disk
  [[nodiscard]] std::uint64_t size_bytes() const;
  /// Cuts the file to an earlier size (resume from a checkpoint).
  void truncate(std::uint64_t size_bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Exclusive advisory lock of a folder, held until destruction; freed by the system on a crash.
class FolderLock {
 public:
  /// @throws Error kBusy if another process holds it, naming its process id.
  explicit FolderLock(const Path& folder);
  ~FolderLock();
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// CRC-32 (zlib's) of the bytes, or of what `before` is the checksum of with the bytes after it.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace dreamgym
