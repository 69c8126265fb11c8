// tag_nouns(): in product names nearly every word is part of a name to a tagger, so what counts are
// the exceptions: marks, function words, numbers and some adjectives and verbs.
#include <algorithm>
#include <array>
#include <iterator>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"
#include "dreamgym/worlds/webshop/nouns.h"

namespace dreamgym::webshop {
namespace {

// Lower-case; sorted.
constexpr std::array kNoNouns = std::to_array<std::string_view>(
    {"a",        "adjustable", "all",      "am",        "an",       "and",       "any",
     "are",      "as",         "at",       "automatic", "be",       "best",      "both",
     "braided",  "built",      "but",      "by",        "can",      "certified", "de",
     "designed", "different",  "do",       "down",      "each",     "easily",    "eight",
     "extra",    "five",       "floating", "for",       "four",     "from",      "fully",
     "has",      "have",       "he",       "her",       "his",      "how",       "i",
     "if",       "imported",   "in",       "include",   "included", "includes",  "including",
     "into",     "is",         "it",       "italian",   "its",      "lasting",   "made",
     "make",     "makes",      "may",      "me",        "more",     "most",      "my",
     "new",      "no",         "non",      "not",       "of",       "off",       "on",
     "one",      "only",       "or",       "oriental",  "other",    "our",       "out",
     "over",     "per",        "plus",     "seven",     "shaped",   "she",       "six",
     "so",       "such",       "suitable", "tempered",  "ten",      "than",      "that",
     "the",      "their",      "them",     "these",     "they",     "this",      "three",
     "through",  "to",         "true",     "two",       "under",    "up",        "upgraded",
     "use",      "used",       "very",     "was",       "we",       "what",      "when",
     "which",    "while",      "wide",     "will",      "with",     "without",   "you",
     "your"});

constexpr std::string_view kMarksBefore = "([{\"',;:!?.-";
constexpr std::string_view kMarksBehind = ")]}\"',;:!?.%-";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "500ml", "4pcs" count as nouns, "12", "40mm", "8GB" do not.
bool is_number(std::string_view token) {
  if (!is_digit(token.front())) {
    return false;
  }
  const std::size_t unit = token.find_first_not_of("0123456789.,x");
  if (unit == std::string_view::npos) {
    return true;
  }
  const std::string_view letters = token.substr(unit);
  constexpr std::string_view kCounted[] = {
      "ml", "pcs", "pc", "pack", "ft", "inch", "oz", "cm", "d"};
  return std::ranges::find(kCounted, to_lower(letters)) == std::end(kCounted);
}

bool is_noun(const std::string& token) {
  return !token.empty() && !is_number(token) &&
         !std::ranges::binary_search(kNoNouns, std::string_view(token));
}

std::string_view without_marks(std::string_view word) {
  const std::size_t begin = word.find_first_not_of(kMarksBefore);
  if (begin == std::string_view::npos) {
    return {};
  }
  word.remove_prefix(begin);
  for (;;) {
    const std::size_t end = word.find_last_not_of(kMarksBehind);
    word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
    const std::size_t before = word.size();
    for (const std::string_view possessive : {"'s", "’s", "”", "’", "™", "®", "，"}) {
      if (word.ends_with(possessive)) {
        word.remove_suffix(possessive.size());
      }
    }
    if (word.size() == before) {
      return word;
    }
  }
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// Breaks at signs between letters: "Pink/Peach", "V-Neck", "Shoes,Wine".
void split_word(std::string_view word, Nouns& tokens) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    constexpr std::string_view kBreaks = "-/+,:=";
    if (kBreaks.find(word[i]) != std::string_view::npos && is_letter(word[i - 1]) &&
        is_letter(word[i + 1])) {
      tokens.emplace_back(word.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  tokens.emplace_back(word.substr(begin));
}

}  // namespace

Nouns tag_nouns(std::string_view name) {
  Nouns tokens;
  for (const std::string& word : words(name)) {
    split_word(without_marks(word), tokens);
  }
  Nouns nouns;
  for (const std::string& token : tokens) {
    std::string lower = python_lower(token);
    if (is_noun(lower)) {
      nouns.push_back(std::move(lower));
    }
  }
  return nouns;
}

}  // namespace dreamgym::webshop
