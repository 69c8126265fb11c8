#include "dreamgym/llm/internal/word_character.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

struct FreePattern {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
using Pattern = std::unique_ptr<pcre2_code, FreePattern>;

/// Unicode's \w (UTS 18, annex C): alphabetic, marks, decimal digits, connectors, joiners. The
/// ranges are the alphabetic symbols (circled and squared letters). PCRE2's own \w leaves out marks
/// and connectors.
Pattern compile_word_pattern() {
  constexpr std::string_view kWord =
      "[\\p{L}\\p{Nl}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}"
      "\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}]";
  int error = 0;
  PCRE2_SIZE where = 0;
  Pattern pattern(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kWord.data()),
                                kWord.size(),
                                PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED,
                                &error,
                                &where,
                                nullptr));
  check(pattern != nullptr, "the word pattern must compile");
  return pattern;
}

bool is_word(std::string_view character) {
  static const Pattern pattern = compile_word_pattern();
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create_from_pattern(pattern.get(), nullptr));
  // Invalid UTF-8 is an error of the match and so no word character.
  return pcre2_match(pattern.get(),
                     reinterpret_cast<PCRE2_SPTR>(character.data()),
                     character.size(),
                     0,
                     0,
                     match.get(),
                     nullptr) > 0;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

bool word_character_before(std::string_view text, std::size_t position) {
  if (position == 0) {
    return false;
  }
  if (is_ascii(text[position - 1])) {
    return is_ascii_word(text[position - 1]);
  }
  std::size_t start = position - 1;
  while (start > 0 && position - start < 4 && continues_character(text[start])) {
    --start;
  }
  return is_word(text.substr(start, position - start));
}

bool word_character_at(std::string_view text, std::size_t position) {
  if (position >= text.size()) {
    return false;
  }
  if (is_ascii(text[position])) {
    return is_ascii_word(text[position]);
  }
  std::size_t end = position + 1;
  while (end < text.size() && end - position < 4 && continues_character(text[end])) {
    ++end;
  }
  return is_word(text.substr(position, end - position));
}

}  // namespace dreamgym
