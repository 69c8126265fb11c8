#include "dreamgym/base/utf8.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

TEST(Utf8, ReadsBackWhatItWrites) {
  for (char32_t code_point = 0; code_point < 0x110000; code_point += 7) {
    std::string text;
    append_utf8(text, code_point);
    const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
    const Utf8Character character = utf8_character(text, 0);
    EXPECT_EQ(character.num_bytes, surrogate ? 0 : text.size()) << std::uint32_t{code_point};
    EXPECT_EQ(character.code_point, surrogate ? 0 : code_point);
  }
}

TEST(Utf8, KnowsWhereNoCharacterBegins) {
  for (const char* text :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_character(text, 0).num_bytes, 0U) << to_hex(hash_text(text));
  }
}

}  // namespace
}  // namespace dreamgym
