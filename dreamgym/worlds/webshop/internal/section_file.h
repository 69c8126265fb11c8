// One file of named sections that is read where it lies: what a parsed catalogue is kept in.
//
// Layout in docs/formats/webshop_catalogue.md: a head, the sections (each at a multiple of 64
// bytes), the source's fingerprint, the table of sections, a foot. All but padding is under
// checksums. What is verified when: head, foot, table and the sections of CheckTime::kAtStart by
// open(); the blocks of a section of CheckTime::kOnTouch when they are first looked at, so that
// gigabytes of text cost a start-up nothing and a damaged byte is still never shown. Numbers are
// those of a little-endian machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/mapped_file.h"

namespace dreamgym::webshop {

enum class CheckTime : std::uint32_t { kAtStart = 0, kOnTouch = 1 };

/// Where a section lies; stored as it is.
struct SectionEntry {
  std::uint32_t id = 0;
  CheckTime check_time = CheckTime::kAtStart;
  std::uint64_t begin = 0;       ///< of the file
  std::uint64_t size_bytes = 0;  ///< without padding
  std::uint64_t sums_begin = 0;  ///< kOnTouch: checksums of its blocks
  std::uint32_t checksum = 0;    ///< of the section, or of the blocks' checksums
  std::uint32_t unused = 0;      ///< 0
};

/// Writes such a file from its front to its end, in pieces. Thread safety: none.
class SectionWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// @param fingerprint  of what the contents were made from; open() compares it.
  SectionWriter(Sink sink, std::string fingerprint);

  void begin(std::uint32_t id, CheckTime check_time);
  void write(std::string_view bytes);
  void end();
  /// A whole section of numbers or plain structs.
  template <class T>
  void write_all(std::uint32_t id, const std::vector<T>& values) {
    begin(id, CheckTime::kAtStart);
    write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    end();
  }
  /// Bytes of the section being written so far.
  [[nodiscard]] std::uint64_t size_bytes() const { return at_ - table_.back().begin; }
  /// After the last section.
  void finish();

 private:
  void put(std::string_view bytes);
  void pad();

  Sink sink_;
  std::string fingerprint_;
  std::string buffer_;
  std::uint64_t at_ = 0;  ///< bytes put so far
  std::vector<SectionEntry> table_;
  std::vector<std::uint32_t> sums_;  ///< of the section's full blocks
  std::uint32_t sum_ = 0;            ///< of the section, or of the block begun
  std::size_t in_block_ = 0;
};

/// Bytes of one section; those of CheckTime::kOnTouch are verified block by block.
/// Thread safety: const members are reentrant. Lifetime: views live as long as the SectionFile.
class SectionBytes {
 public:
  SectionBytes() = default;
  /// @param sums  of its blocks; empty if the bytes are known to be whole.
  /// @param path  of the file, which is removed when damage is found.
  SectionBytes(std::string_view bytes, std::span<const std::uint32_t> sums, Path path);

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// @throws Error kCorrupt if the range is not inside, or a block of it is damaged; the file is
  ///               then removed, so that the next start makes it anew.
  [[nodiscard]] std::string_view get(std::uint64_t begin, std::uint64_t count) const;

 private:
  void verify_block(std::size_t block) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string_view bytes_;
  std::span<const std::uint32_t> sums_;
  std::unique_ptr<std::atomic<bool>[]> verified_;  ///< [blocks]
  Path path_;
};

/// Thread safety: const members are reentrant.
class SectionFile {
 public:
  /// Bytes that a SectionWriter has just made; nothing is verified.
  explicit SectionFile(std::string bytes);
  /// Maps a file and verifies it as told above.
  /// @throws Error kNotFound; kCorrupt saying what is wrong: another version, cut short, damaged,
  ///               made from other files than `fingerprint` says.
  SectionFile(const Path& path, std::string_view fingerprint);
  SectionFile(const SectionFile&) = delete;
  SectionFile& operator=(const SectionFile&) = delete;
  ~SectionFile() = default;

  /// @throws Error kCorrupt if there is no such section.
  [[nodiscard]] SectionBytes section(std::uint32_t id) const;
  /// A section of numbers or plain structs.
  template <class T>
  [[nodiscard]] std::span<const T> values(std::uint32_t id) const {
    const std::string_view bytes = whole(id, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_.size(); }

 private:
  [[nodiscard]] std::string_view whole(std::uint32_t id, std::size_t item_bytes) const;
  [[nodiscard]] const SectionEntry& entry(std::uint32_t id) const;
  void read_table(std::string_view fingerprint);
  void verify_sections() const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string owned_;
  std::optional<MappedFile> mapped_;
  Path path_;  ///< "" = owned
  std::string_view bytes_;
  std::vector<SectionEntry> table_;
};

}  // namespace dreamgym::webshop
