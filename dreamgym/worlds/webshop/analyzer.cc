#include "dreamgym/worlds/webshop/analyzer.h"

#include <unicode/uchar.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/porter_stemmer.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"
#include "dreamgym/worlds/webshop/internal/word_breaker.h"

namespace dreamgym::webshop {
namespace {

constexpr std::array<std::string_view, 33> kStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

std::string_view without_possessive(std::string_view word) {
  if (!word.ends_with('s') && !word.ends_with('S')) {
    return word;
  }
  const std::string_view before = word.substr(0, word.size() - 1);
  for (const std::string_view mark : {"'", "\u2019", "\uff07"}) {
    if (before.ends_with(mark)) {
      return before.substr(0, before.size() - mark.size());
    }
  }
  return word;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Character by character, as Java's Character.toLowerCase.
std::u16string lower_utf16(std::string_view text) {
  std::u16string out;
  for (const char32_t c : decode_utf8(text)) {
    const auto lower = static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
    if (lower >= 0x10000) {
      out += U16_LEAD(lower);
      out += U16_TRAIL(lower);
    } else {
      out += static_cast<char16_t>(lower);
    }
  }
  return out;
}

std::string to_utf8(const std::u16string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (U16_IS_LEAD(c) && i + 1 < text.size()) {
      c = static_cast<char32_t>(U16_GET_SUPPLEMENTARY(text[i], text[i + 1]));
      ++i;
    }
    append_utf8(out, c);
  }
  return out;
}

}  // namespace

void for_each_term(std::string_view text, const std::function<void(const std::string&)>& visit) {
  std::string term;
  for_each_word(text, [&](std::string_view whole) {
    const std::string_view word = without_possessive(whole);
    if (!is_ascii(word)) {
      std::u16string wide = lower_utf16(word);
      porter_stem(wide);
      visit(to_utf8(wide));
      return;
    }
    term = to_lower(word);
    if (!std::ranges::binary_search(kStopWords, term)) {
      porter_stem(term);
      visit(term);
    }
  });
}

std::vector<std::string> analyze(std::string_view text) {
  std::vector<std::string> terms;
  for_each_term(text, [&](const std::string& term) { terms.push_back(term); });
  return terms;
}

}  // namespace dreamgym::webshop
