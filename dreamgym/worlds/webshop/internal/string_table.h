// Distinct texts numbered in the order of adding, found by text or number, read where they lie.
//
// Three sections of a SectionFile (ids base, base + 1, base + 2): ends, texts, and a hash table of
// numbers. Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/internal/section_file.h"

namespace dreamgym::webshop {

/// Lifetime: views live as long as the SectionFile.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const SectionFile& file, std::uint32_t base);

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view text(std::uint32_t number) const;
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;

 private:
  std::span<const std::uint32_t> ends_;
  std::span<const char> texts_;
  std::span<const std::uint32_t> slots_;
};

/// Thread safety: none.
class StringTableBuilder {
 public:
  StringTableBuilder();

  /// The text's number; a new one is size() before the call.
  /// @throws Error kUnsupported beyond 4 GiB of texts.
  std::uint32_t add(std::string_view text);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view text(std::uint32_t number) const;
  void write(SectionWriter& writer, std::uint32_t base) const;

 private:
  void grow();

  std::vector<std::uint32_t> ends_;
  std::vector<char> texts_;
  std::vector<std::uint32_t> slots_;  ///< [power of two] number + 1, or 0
};

}  // namespace dreamgym::webshop
