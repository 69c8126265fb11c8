// Characters of UTF-8 text, one at a time. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dreamgym {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t num_bytes = 0;  ///< 0: no valid character begins here
};

/// The character that begins at `position`, which lies inside the text. The ranges of the second
/// byte are those of Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
/// U+10FFFF.
inline Utf8Character utf8_character(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[position + i]);
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  if (lead < 0xc2 || lead > 0xf4) {
    return {};
  }
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() - position < length) {
    return {};
  }
  const std::uint32_t lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint32_t highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) {
    return {};
  }
  std::uint32_t code_point = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return {};
    }
    code_point = code_point << 6U | (byte(i) & 0x3fU);
  }
  return {code_point, length};
}

/// Appends the character in UTF-8. @param code_point  at most U+10FFFF.
inline void append_utf8(std::string& text, char32_t code_point) {
  const auto value = static_cast<std::uint32_t>(code_point);
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | (value >> shift & 0x3fU));
  };
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xc0U | value >> 6U);
    tail(0);
  } else if (value < 0x10000) {
    text += static_cast<char>(0xe0U | value >> 12U);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0U | value >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace dreamgym
