#include "dreamgym/experience/text_language.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/base/utf8.h"

namespace dreamgym {
namespace {

struct Script {
  std::string_view name;
  char32_t first;
  char32_t last;
};

// Blocks of letters (Unicode 15), by the script most of them belong to.
constexpr std::array<Script, 16> kScripts = {{{"Latin", U'A', U'Z'},
                                              {"Latin", U'a', U'z'},
                                              {"Latin", 0xC0, 0x24F},
                                              {"Latin", 0x1E00, 0x1EFF},
                                              {"Greek", 0x370, 0x3FF},
                                              {"Cyrillic", 0x400, 0x52F},
                                              {"Hebrew", 0x590, 0x5FF},
                                              {"Arabic", 0x600, 0x77F},
                                              {"Devanagari", 0x900, 0x97F},
                                              {"Thai", 0xE00, 0xE7F},
                                              {"Georgian", 0x10A0, 0x10FF},
                                              {"Chinese or Japanese", 0x3040, 0x30FF},
                                              {"Chinese or Japanese", 0x3400, 0x4DBF},
                                              {"Chinese or Japanese", 0x4E00, 0x9FFF},
                                              {"Chinese or Japanese", 0x20000, 0x3134F},
                                              {"Korean", 0xAC00, 0xD7A3}}};

// None of them is a common word of another language written in Latin letters.
constexpr std::array<std::string_view, 16> kEnglish = {"the",  "of",   "and",  "is",    "to",   "with",
                                                       "that", "this", "will", "which", "from", "then",
                                                       "you",  "your", "has",  "are"};
constexpr std::size_t kWordsToJudge = 12;
constexpr double kManyEnglish = 0.08;
constexpr double kFewEnglish = 0.01;

std::string_view script_of(std::string_view text) {
  std::array<std::size_t, kScripts.size()> letters{};
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    at += std::max<std::size_t>(character.num_bytes, 1);
    const auto* const script = std::ranges::find_if(kScripts, [&](const Script& s) {
      return character.code_point >= s.first && character.code_point <= s.last;
    });
    if (character.num_bytes > 0 && script != kScripts.end()) {
      ++letters[static_cast<std::size_t>(script - kScripts.begin())];
    }
  }
  // Several blocks of one script count together.
  std::string_view most;
  std::size_t most_letters = 0;
  for (const Script& script : kScripts) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kScripts.size(); ++i) {
      sum += kScripts[i].name == script.name ? letters[i] : 0;
    }
    if (sum > most_letters) {
      most_letters = sum;
      most = script.name;
    }
  }
  return most;
}

struct WordCount {
  std::size_t words = 0;
  double english_share = 0;
};

WordCount count_words(std::string_view text) {
  std::string letters = to_lower(text);
  std::ranges::replace_if(
      letters, [](unsigned char c) { return c < 0x80 && std::isalpha(c) == 0; }, ' ');
  WordCount count;
  std::size_t english = 0;
  for (const std::string& word : words(letters)) {
    ++count.words;
    english += std::ranges::find(kEnglish, word) != kEnglish.end() ? 1 : 0;
  }
  count.english_share =
      count.words == 0 ? 0.0 : static_cast<double>(english) / static_cast<double>(count.words);
  return count;
}

}  // namespace

std::optional<std::string> language_difference(std::string_view reference, std::string_view text) {
  const std::string_view expected = script_of(reference);
  const std::string_view got = script_of(text);
  if (!expected.empty() && !got.empty() && expected != got) {
    return fmt::format("it is written in {} letters, expected {}", got, expected);
  }
  const WordCount reference_words = count_words(reference);
  const WordCount text_words = count_words(text);
  const bool judged = reference_words.words >= kWordsToJudge && text_words.words >= kWordsToJudge;
  if (judged && reference_words.english_share >= kManyEnglish &&
      text_words.english_share < kFewEnglish) {
    return "it does not seem to be English, expected English";
  }
  return std::nullopt;
}

}  // namespace dreamgym
