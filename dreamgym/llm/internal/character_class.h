// What the pre-tokenisers ask of a character: \p{L}, \p{N}, \s, \r\n or none of these.
//
// Unicode's general categories and White_Space, from utf8proc. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dreamgym/base/utf8.h"

namespace dreamgym {

enum class CharacterClass : std::uint8_t { kOther, kLetter, kNumber, kBlank, kNewline, kEnd };

/// [U+110000] the class of every code point. kNewline is \r and \n, which are blanks too.
const std::vector<CharacterClass>& character_classes();

/// White_Space of Unicode, as \s in the pre-tokenisers.
bool is_white_space(char32_t code_point);

struct ClassedCharacter {
  CharacterClass kind = CharacterClass::kEnd;
  std::size_t num_bytes = 0;
};

/// The character at a position; a byte that begins no valid one is kOther of length 1.
inline ClassedCharacter classed_character(const std::vector<CharacterClass>& classes,
                                          std::string_view text,
                                          std::size_t position) {
  if (position >= text.size()) {
    return {};
  }
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) {
    return {classes[byte], 1};
  }
  const Utf8Character character = utf8_character(text, position);
  if (character.num_bytes == 0) {
    return {CharacterClass::kOther, 1};
  }
  return {classes[character.code_point], character.num_bytes};
}

}  // namespace dreamgym
