#include "dreamgym/worlds/webshop/internal/section_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <system_error>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {
namespace {

constexpr std::string_view kMagic = "dgwebshp";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

/// At the file's front.
struct Head {
  char magic[8] = {};
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
};

/// At the file's end, so that a file cut short has none.
struct Foot {
  std::uint64_t size_bytes = 0;   ///< of the whole file
  std::uint64_t table_begin = 0;  ///< fingerprint, then entries
  std::uint32_t fingerprint_bytes = 0;
  std::uint32_t num_sections = 0;
  std::uint32_t table_checksum = 0;
  std::uint32_t checksum = 0;  ///< of head and foot without this and what follows
  char magic[8] = {};
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <class T>
T copy_from(std::string_view bytes) {
  T value;
  bytes.copy(reinterpret_cast<char*>(&value), sizeof(T));
  return value;
}

void set_magic(char (&magic)[8]) {
  std::ranges::copy(kMagic, magic);
}

bool has_magic(const char (&magic)[8]) {
  return std::ranges::equal(magic, kMagic);
}

std::uint32_t foot_checksum(const Head& head, const Foot& foot) {
  return checksum(bytes_of(foot).substr(0, offsetof(Foot, checksum)), checksum(bytes_of(head)));
}

std::size_t num_blocks(std::uint64_t size_bytes) {
  return (size_bytes + kBlockBytes - 1) / kBlockBytes;
}

std::string_view sums_view(const std::vector<std::uint32_t>& sums) {
  return {reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(std::uint32_t)};
}

}  // namespace

SectionWriter::SectionWriter(Sink sink, std::string fingerprint)
    : sink_(std::move(sink)), fingerprint_(std::move(fingerprint)) {
  Head head;
  set_magic(head.magic);
  put(bytes_of(head));
}

void SectionWriter::begin(std::uint32_t id, CheckTime check_time) {
  pad();
  table_.push_back({.id = id, .check_time = check_time, .begin = at_});
  sums_.clear();
  sum_ = 0;
  in_block_ = 0;
}

void SectionWriter::write(std::string_view bytes) {
  put(bytes);
  if (table_.back().check_time == CheckTime::kAtStart) {
    sum_ = checksum(bytes, sum_);
    return;
  }
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kBlockBytes - in_block_);
    sum_ = checksum(piece, sum_);
    in_block_ += piece.size();
    bytes.remove_prefix(piece.size());
    if (in_block_ == kBlockBytes) {
      sums_.push_back(sum_);
      sum_ = 0;
      in_block_ = 0;
    }
  }
}

void SectionWriter::end() {
  SectionEntry& entry = table_.back();
  entry.size_bytes = at_ - entry.begin;
  if (entry.check_time == CheckTime::kAtStart) {
    entry.checksum = sum_;
    return;
  }
  if (in_block_ > 0) {
    sums_.push_back(sum_);
  }
  pad();
  entry.sums_begin = at_;
  entry.checksum = checksum(sums_view(sums_));
  put(sums_view(sums_));
}

void SectionWriter::finish() {
  pad();
  Foot foot{.table_begin = at_,
            .fingerprint_bytes = static_cast<std::uint32_t>(fingerprint_.size()),
            .num_sections = static_cast<std::uint32_t>(table_.size())};
  std::string table = fingerprint_;
  for (const SectionEntry& entry : table_) {
    table += bytes_of(entry);
  }
  foot.table_checksum = checksum(table);
  put(table);
  foot.size_bytes = at_ + sizeof(Foot);
  Head head;
  set_magic(head.magic);
  set_magic(foot.magic);
  foot.checksum = foot_checksum(head, foot);
  put(bytes_of(foot));
  sink_(buffer_);
  buffer_.clear();
}

void SectionWriter::put(std::string_view bytes) {
  buffer_ += bytes;
  at_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) {
    sink_(buffer_);
    buffer_.clear();
  }
}

void SectionWriter::pad() {
  put(std::string((kAlignment - at_ % kAlignment) % kAlignment, '\0'));
}

SectionBytes::SectionBytes(std::string_view bytes, std::span<const std::uint32_t> sums, Path path)
    : bytes_(bytes),
      sums_(sums),
      verified_(sums.empty() ? nullptr : std::make_unique<std::atomic<bool>[]>(sums.size())),
      path_(std::move(path)) {}

std::string_view SectionBytes::get(std::uint64_t begin, std::uint64_t count) const {
  if (begin > bytes_.size() || count > bytes_.size() - begin) {
    refuse(fmt::format(
        "bytes {} to {} are wanted of a section of {}", begin, begin + count, bytes_.size()));
  }
  if (verified_ && count > 0) {
    for (std::size_t i = begin / kBlockBytes; i <= (begin + count - 1) / kBlockBytes; ++i) {
      verify_block(i);
    }
  }
  return bytes_.substr(begin, count);
}

void SectionBytes::verify_block(std::size_t block) const {
  if (verified_[block].load(std::memory_order_relaxed)) {
    return;
  }
  if (checksum(bytes_.substr(block * kBlockBytes, kBlockBytes)) != sums_[block]) {
    refuse(fmt::format("the checksum of block {} does not fit", block));
  }
  verified_[block].store(true, std::memory_order_relaxed);
}

void SectionBytes::refuse(const std::string& why) const {
  std::error_code ignored;  // the message below is what matters
  if (!path_.empty()) {
    std::filesystem::remove(path_, ignored);
  }
  throw Error(ErrorKind::kCorrupt,
              fmt::format("{}: damaged: {}", path_.string(), why),
              "it was removed; start again, and it is made anew from the catalogue's files");
}

SectionFile::SectionFile(std::string bytes) : owned_(std::move(bytes)), bytes_(owned_) {
  const Foot foot = copy_from<Foot>(bytes_.substr(bytes_.size() - sizeof(Foot)));
  read_table(bytes_.substr(foot.table_begin, foot.fingerprint_bytes));
}

SectionFile::SectionFile(const Path& path, std::string_view fingerprint)
    : mapped_(path), path_(path), bytes_(mapped_->bytes()) {
  if (bytes_.size() < sizeof(Head) || !has_magic(copy_from<Head>(bytes_).magic)) {
    refuse("it is no parsed catalogue");
  }
  if (const auto version = copy_from<Head>(bytes_).version; version != kVersion) {
    refuse(fmt::format("it is of version {}, expected {}", version, kVersion));
  }
  read_table(fingerprint);
  verify_sections();
}

SectionBytes SectionFile::section(std::uint32_t id) const {
  const SectionEntry& found = entry(id);
  const std::string_view bytes = bytes_.substr(found.begin, found.size_bytes);
  if (path_.empty() || found.check_time == CheckTime::kAtStart) {
    return {bytes, {}, path_};
  }
  return {bytes,
          {reinterpret_cast<const std::uint32_t*>(bytes_.data() + found.sums_begin),
           num_blocks(found.size_bytes)},
          path_};
}

std::string_view SectionFile::whole(std::uint32_t id, std::size_t item_bytes) const {
  const SectionEntry& found = entry(id);
  check(found.check_time == CheckTime::kAtStart, "a section taken whole is verified at the start");
  if (found.size_bytes % item_bytes != 0) {
    refuse(fmt::format("section {} is no list of {} bytes each", id, item_bytes));
  }
  return bytes_.substr(found.begin, found.size_bytes);
}

const SectionEntry& SectionFile::entry(std::uint32_t id) const {
  const auto found = std::ranges::find(table_, id, &SectionEntry::id);
  if (found == table_.end()) {
    refuse(fmt::format("it has no section {}", id));
  }
  return *found;
}

void SectionFile::read_table(std::string_view fingerprint) {
  const Head head = copy_from<Head>(bytes_);
  if (bytes_.size() < sizeof(Head) + sizeof(Foot)) {
    refuse("it is cut short");
  }
  const std::size_t foot_begin = bytes_.size() - sizeof(Foot);
  const auto foot = copy_from<Foot>(bytes_.substr(foot_begin));
  if (!has_magic(foot.magic) || foot.size_bytes != bytes_.size()) {
    refuse("it is cut short");
  }
  if (foot_checksum(head, foot) != foot.checksum) {
    refuse("the checksum of its head does not fit");
  }
  const std::string_view table = bytes_.substr(foot.table_begin, foot_begin - foot.table_begin);
  if (checksum(table) != foot.table_checksum) {
    refuse("the checksum of its table does not fit");
  }
  if (table.substr(0, foot.fingerprint_bytes) != fingerprint) {
    refuse("it was made from other files than are there now");
  }
  table_.resize(foot.num_sections);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_[i] =
        copy_from<SectionEntry>(table.substr(foot.fingerprint_bytes + i * sizeof(SectionEntry)));
  }
}

void SectionFile::verify_sections() const {
  for (const SectionEntry& each : table_) {
    const bool by_block = each.check_time == CheckTime::kOnTouch;
    const std::string_view bytes =
        by_block
            ? bytes_.substr(each.sums_begin, num_blocks(each.size_bytes) * sizeof(std::uint32_t))
            : bytes_.substr(each.begin, each.size_bytes);
    if (checksum(bytes) != each.checksum) {
      refuse(fmt::format("the checksum of section {} does not fit", each.id));
    }
  }
}

void SectionFile::refuse(const std::string& why) const {
  throw Error(ErrorKind::kCorrupt,
              fmt::format("{}: {}", path_.string(), why),
              "remove it; it is made anew from the catalogue's files");
}

}  // namespace dreamgym::webshop
