#include "dreamgym/llm/internal/character_class.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace dreamgym {
namespace {

constexpr std::size_t kNumCodePoints = 0x110000;

CharacterClass class_of(char32_t code_point) {
  if (code_point == U'\r' || code_point == U'\n') {
    return CharacterClass::kNewline;
  }
  if (is_white_space(code_point)) {
    return CharacterClass::kBlank;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::kNumber;
    default:
      return CharacterClass::kOther;
  }
}

}  // namespace

bool is_white_space(char32_t code_point) {
  constexpr std::array<char32_t, 8> kSingle = {
      0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f};
  return (code_point >= 0x9 && code_point <= 0xd) ||
         (code_point >= 0x2000 && code_point <= 0x200a) || code_point == 0x3000 ||
         std::ranges::find(kSingle, code_point) != kSingle.end();
}

const std::vector<CharacterClass>& character_classes() {
  static const std::vector<CharacterClass> classes = [] {
    std::vector<CharacterClass> all(kNumCodePoints);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = class_of(static_cast<char32_t>(i));
    }
    return all;
  }();
  return classes;
}

}  // namespace dreamgym
