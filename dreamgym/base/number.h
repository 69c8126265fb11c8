// Numbers read from text, whole text or nothing. Thread safety: reentrant.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dreamgym {

/// Decimal digits only; nothing if there is anything else or the number is too large.
inline std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace dreamgym
