#include "dreamgym/worlds/webshop/internal/word_breaker.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <array>
#include <cstdint>

#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kLongestWord = 255;  // UTF-16 units

enum class Kind : std::uint8_t {
  kOther,
  kLetter,
  kHebrew,
  kNumber,
  kKatakana,
  kConnector,  // joins and belongs to words: '_'
  kMidLetter,  // ':' and the like: inside words only
  kMidNumber,
  kMidBoth,  // '.' and the like
  kQuote,    // the single one
  kDoubleQuote,
  kMark,       // extends what stands before it
  kIdeograph,  // one token each
  kSouthEast,  // one token a run
  kFlag,       // regional indicator: one token a pair
  kEmoji,
  kEmojiModifier
};

Kind symbol_kind(UChar32 c) {
  if (u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER) != 0) {
    return Kind::kEmojiModifier;
  }
  const bool keycap = (c >= '0' && c <= '9') || c == '#' || c == '*';
  const bool emoji = u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) != 0 ||
                     (u_hasBinaryProperty(c, UCHAR_EMOJI) != 0 && !keycap);
  return emoji ? Kind::kEmoji : Kind::kOther;
}

Kind find_kind(UChar32 c) {
  switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return Kind::kLetter;
    case U_WB_HEBREW_LETTER:
      return Kind::kHebrew;
    case U_WB_NUMERIC:
      return Kind::kNumber;
    case U_WB_KATAKANA:
      return Kind::kKatakana;
    case U_WB_EXTENDNUMLET:
      return Kind::kConnector;
    case U_WB_MIDLETTER:
      return Kind::kMidLetter;
    case U_WB_MIDNUM:
      return Kind::kMidNumber;
    case U_WB_MIDNUMLET:
      return Kind::kMidBoth;
    case U_WB_SINGLE_QUOTE:
      return Kind::kQuote;
    case U_WB_DOUBLE_QUOTE:
      return Kind::kDoubleQuote;
    case U_WB_REGIONAL_INDICATOR:
      return Kind::kFlag;
    case U_WB_EXTEND:
      return u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER) != 0 ? Kind::kEmojiModifier : Kind::kMark;
    case U_WB_FORMAT:
    case U_WB_ZWJ:
      return Kind::kMark;
    default:
      break;
  }
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) {
    return Kind::kSouthEast;
  }
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &error);
  if (script == USCRIPT_HAN || script == USCRIPT_HIRAGANA) {
    return Kind::kIdeograph;
  }
  if (c >= 0xff10 && c <= 0xff19) {  // full-width digits
    return Kind::kNumber;
  }
  return symbol_kind(c);
}

std::array<Kind, 128> ascii_kinds() {
  std::array<Kind, 128> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] = find_kind(static_cast<UChar32>(i));
  }
  return kinds;
}

/// A character with the marks behind it.
struct Unit {
  Kind kind = Kind::kOther;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool at_end = true;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] Unit unit_at(std::size_t begin) const {
    if (begin >= text_.size()) {
      return {.begin = begin, .end = begin};
    }
    Unit unit{.begin = begin, .end = begin, .at_end = false};
    unit.kind = next_kind(unit.end);
    for (std::size_t after = unit.end; after < text_.size(); unit.end = after) {
      if (next_kind(after) != Kind::kMark) {
        break;
      }
    }
    return unit;
  }

 private:
  [[nodiscard]] Kind next_kind(std::size_t& at) const {
    static const std::array<Kind, 128> kAscii = ascii_kinds();
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < 0x80) {
      ++at;
      return kAscii[byte];
    }
    return find_kind(static_cast<UChar32>(next_character(text_, at)));
  }

  std::string_view text_;
};

bool is_letter(Kind kind) {
  return kind == Kind::kLetter || kind == Kind::kHebrew;
}

/// Word characters that may stand side by side in one word.
bool joined(Kind before, Kind after) {
  if (before == Kind::kConnector || after == Kind::kConnector) {
    return true;
  }
  if (before == Kind::kKatakana || after == Kind::kKatakana) {
    return before == after;
  }
  return true;  // letters and numbers
}

bool is_word_kind(Kind kind) {
  return is_letter(kind) || kind == Kind::kNumber || kind == Kind::kKatakana ||
         kind == Kind::kConnector;
}

/// End of the word that begins with `unit`; begins at a word character.
/// @param solid  set if there is more in it than connectors.
std::size_t word_end(const Scanner& scanner, Unit unit, bool& solid) {
  solid = unit.kind != Kind::kConnector;
  for (;;) {
    const Unit next = scanner.unit_at(unit.end);
    if (next.at_end) {
      return unit.end;
    }
    if (is_word_kind(next.kind) && joined(unit.kind, next.kind)) {
      unit = next;
      solid = solid || unit.kind != Kind::kConnector;
      continue;
    }
    const Unit after = scanner.unit_at(next.end);
    const bool between_letters =
        next.kind == Kind::kMidLetter || next.kind == Kind::kMidBoth || next.kind == Kind::kQuote;
    const bool between_numbers =
        next.kind == Kind::kMidNumber || next.kind == Kind::kMidBoth || next.kind == Kind::kQuote;
    if (!after.at_end &&
        ((between_letters && is_letter(unit.kind) && is_letter(after.kind)) ||
         (between_numbers && unit.kind == Kind::kNumber && after.kind == Kind::kNumber) ||
         (next.kind == Kind::kDoubleQuote && unit.kind == Kind::kHebrew &&
          after.kind == Kind::kHebrew))) {
      unit = after;
      continue;
    }
    return next.kind == Kind::kQuote && unit.kind == Kind::kHebrew ? next.end : unit.end;
  }
}

/// Emoji joined by zero-width joiners, flags in pairs.
std::size_t symbol_end(const Scanner& scanner, std::string_view text, Unit unit) {
  constexpr std::string_view kJoiner = "\u200d";
  if (unit.kind == Kind::kFlag) {
    const Unit next = scanner.unit_at(unit.end);
    return next.kind == Kind::kFlag && !next.at_end ? next.end : unit.end;
  }
  for (;;) {
    const Unit next = scanner.unit_at(unit.end);
    const bool linked = text.substr(unit.begin, unit.end - unit.begin).ends_with(kJoiner);
    if (next.at_end ||
        !(next.kind == Kind::kEmojiModifier || (linked && next.kind == Kind::kEmoji))) {
      return unit.end;
    }
    unit = next;
  }
}

/// Hands the word on, in pieces if it is too long.
void emit(std::string_view word, const std::function<void(std::string_view)>& visit) {
  std::size_t units = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; word.size() > kLongestWord && i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    const std::size_t width = (byte & 0xc0U) == 0x80U ? 0 : (byte >= 0xf0 ? 2 : 1);
    if (width > 0 && units + width > kLongestWord) {
      visit(word.substr(begin, i - begin));
      begin = i;
      units = 0;
    }
    units += width;
  }
  visit(word.substr(begin));
}

}  // namespace

void for_each_word(std::string_view text, const std::function<void(std::string_view word)>& visit) {
  const Scanner scanner(text);
  for (Unit unit = scanner.unit_at(0); !unit.at_end;) {
    std::size_t end = unit.end;
    bool is_word = true;
    switch (unit.kind) {
      case Kind::kLetter:
      case Kind::kHebrew:
      case Kind::kNumber:
      case Kind::kKatakana:
      case Kind::kConnector:
        end = word_end(scanner, unit, is_word);
        break;
      case Kind::kIdeograph:
        break;
      case Kind::kSouthEast:
        for (Unit next = scanner.unit_at(end); next.kind == Kind::kSouthEast && !next.at_end;
             next = scanner.unit_at(end)) {
          end = next.end;
        }
        break;
      case Kind::kFlag:
        end = symbol_end(scanner, text, unit);
        is_word = end != unit.end;
        break;
      case Kind::kEmoji:
      case Kind::kEmojiModifier:
        end = symbol_end(scanner, text, unit);
        break;
      default:
        is_word = false;
        break;
    }
    if (is_word) {
      emit(text.substr(unit.begin, end - unit.begin), visit);
    }
    unit = scanner.unit_at(end);
  }
}

}  // namespace dreamgym::webshop
