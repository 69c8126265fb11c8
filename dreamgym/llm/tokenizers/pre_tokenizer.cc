#include "dreamgym/llm/tokenizers/pre_tokenizer.h"

#include <array>
#include <limits>

#include "dreamgym/llm/internal/character_class.h"

namespace dreamgym {
namespace {

using Kind = CharacterClass;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// What the expressions differ in.
struct Rules {
  bool any_case_contractions = false;  ///< 'S as well as 's
  bool any_prefix = false;             ///< any sign or blank goes with the letters after it
  bool blank_before_numbers = false;   ///< " 12" is one piece
  std::size_t max_digits = kUnlimited;
  bool newlines = false;            ///< newlines go with signs before them, and end a run of blanks
  bool numbers_end_blanks = false;  ///< a run of blanks before a number keeps its last one
};

constexpr Rules kGpt2Rules = {.blank_before_numbers = true};
constexpr Rules kSmolLm2Rules = {.max_digits = 1, .numbers_end_blanks = true};
constexpr Rules kLlama3Rules = {
    .any_case_contractions = true, .any_prefix = true, .max_digits = 3, .newlines = true};
constexpr Rules kQwen2Rules = {
    .any_case_contractions = true, .any_prefix = true, .max_digits = 1, .newlines = true};

const Rules& rules_of(PreTokenizer cut) {
  switch (cut) {
    case PreTokenizer::kGpt2:
      return kGpt2Rules;
    case PreTokenizer::kSmolLm2:
      return kSmolLm2Rules;
    case PreTokenizer::kLlama3:
      return kLlama3Rules;
    case PreTokenizer::kQwen2:
      return kQwen2Rules;
  }
  return kGpt2Rules;
}

/// Bytes of 's, 't, 're, 've, 'm, 'll or 'd at the start of the text, or 0.
std::size_t contraction_bytes(std::string_view text, bool any_case) {
  constexpr std::string_view kLongS = "\xc5\xbf";  // folds to s
  const auto letter = [&](std::size_t i) -> char {
    const char c = i < text.size() ? text[i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  if (text.front() != '\'') {
    return 0;
  }
  switch (letter(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return letter(2) == 'e' ? 3 : 0;
    case 'l':
      return letter(2) == 'l' ? 3 : 0;
    default:
      return any_case && text.substr(1).starts_with(kLongS) ? 1 + kLongS.size() : 0;
  }
}

class Scanner {
 public:
  Scanner(const Rules& rules, std::string_view text)
      : rules_(rules), text_(text), classes_(character_classes()) {}

  [[nodiscard]] std::size_t end_of_piece(std::size_t begin) const {
    if (const auto bytes = contraction_bytes(text_.substr(begin), rules_.any_case_contractions);
        bytes > 0) {
      return begin + bytes;
    }
    const ClassedCharacter first = at(begin);
    const std::size_t next = begin + first.num_bytes;
    const Kind after = at(next).kind;
    const bool is_space = text_[begin] == ' ';
    const bool glues =
        rules_.any_prefix ? first.kind == Kind::kOther || first.kind == Kind::kBlank : is_space;
    if (first.kind == Kind::kLetter || (glues && after == Kind::kLetter)) {
      return end_of_run(Kind::kLetter, next, kUnlimited);
    }
    if (first.kind == Kind::kNumber) {
      return end_of_run(Kind::kNumber, next, rules_.max_digits - 1);
    }
    if (is_space && after == Kind::kNumber && rules_.blank_before_numbers) {
      return end_of_run(Kind::kNumber, next, kUnlimited);
    }
    if (first.kind == Kind::kOther || (is_space && after == Kind::kOther)) {
      const std::size_t end = end_of_run(Kind::kOther, next, kUnlimited);
      return rules_.newlines ? end_of_run(Kind::kNewline, end, kUnlimited) : end;
    }
    return end_of_blanks(begin);
  }

 private:
  [[nodiscard]] ClassedCharacter at(std::size_t position) const {
    return classed_character(classes_, text_, position);
  }

  [[nodiscard]] std::size_t end_of_run(Kind kind, std::size_t position, std::size_t count) const {
    for (; count > 0; --count) {
      const ClassedCharacter character = at(position);
      if (character.kind != kind) {
        break;
      }
      position += character.num_bytes;
    }
    return position;
  }

  [[nodiscard]] std::size_t end_of_blanks(std::size_t begin) const {
    std::size_t end = begin;
    std::size_t last = begin;      // where the last blank begins
    std::size_t line_end = begin;  // behind the last newline
    ClassedCharacter character = at(end);
    while (character.kind == Kind::kBlank || character.kind == Kind::kNewline) {
      last = end;
      end += character.num_bytes;
      if (character.kind == Kind::kNewline) {
        line_end = end;
      }
      character = at(end);
    }
    if (rules_.newlines && line_end > begin) {
      return line_end;
    }
    const bool at_end = character.kind == Kind::kEnd ||
                        (rules_.numbers_end_blanks && character.kind == Kind::kNumber);
    return at_end || last == begin ? end : last;
  }

  const Rules& rules_;
  std::string_view text_;
  const std::vector<CharacterClass>& classes_;
};

}  // namespace

std::optional<PreTokenizer> pre_tokenizer_of_pattern(std::string_view pattern) {
  if (pattern == kGpt2Pattern) {
    return PreTokenizer::kGpt2;
  }
  if (pattern == kLlama3Pattern) {
    return PreTokenizer::kLlama3;
  }
  if (pattern == kQwen2Pattern) {
    return PreTokenizer::kQwen2;
  }
  return std::nullopt;
}

std::size_t end_of_piece(PreTokenizer cut, std::string_view text, std::size_t begin) {
  return Scanner(rules_of(cut), text).end_of_piece(begin);
}

}  // namespace dreamgym
