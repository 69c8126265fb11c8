#include "dreamgym/worlds/webshop/internal/python_text.h"

#include <fmt/format.h>
#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

struct CloseCaseMap {
  void operator()(UCaseMap* map) const { ucasemap_close(map); }
};

template <class Convert>
std::string change_case(std::string_view text, const Convert& convert) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UCaseMap, CloseCaseMap> map(ucasemap_open("", 0, &error));
  check(U_SUCCESS(error) != 0, "ICU has its case tables");
  std::string out(text.size() + text.size() / 2 + 16, '\0');
  for (;;) {
    error = U_ZERO_ERROR;
    const int size = convert(map.get(),
                             out.data(),
                             static_cast<std::int32_t>(out.size()),
                             text.data(),
                             static_cast<std::int32_t>(text.size()),
                             &error);
    const bool fits = error != U_BUFFER_OVERFLOW_ERROR;
    out.resize(static_cast<std::size_t>(size));
    if (fits) {
      check(U_SUCCESS(error) != 0, "ICU changes the case of any text");
      return out;
    }
  }
}

/// str.isspace() of one character.
bool is_python_space(char32_t character) {
  if (character < 0x80) {
    return (character >= 0x09 && character <= 0x0d) || (character >= 0x1c && character <= 0x20);
  }
  const auto c = static_cast<UChar32>(character);
  const auto type = u_charType(c);
  const auto direction = u_charDirection(c);
  return type == U_SPACE_SEPARATOR || direction == U_WHITE_SPACE_NEUTRAL ||
         direction == U_BLOCK_SEPARATOR || direction == U_SEGMENT_SEPARATOR;
}

/// str.isprintable() of one character.
bool is_python_printable(char32_t character) {
  if (character < 0x7f) {
    return character >= 0x20;
  }
  switch (u_charType(static_cast<UChar32>(character))) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_SURROGATE:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_SPACE_SEPARATOR:
      return false;
    default:
      return true;
  }
}

void append_escaped(std::string& out, char32_t character) {
  if (character < 0x100) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(character));
  } else if (character < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(character));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<unsigned>(character));
  }
}

}  // namespace

std::string python_lower(std::string_view text) {
  return is_ascii(text) ? to_lower(text) : change_case(text, ucasemap_utf8ToLower);
}

std::string python_upper(std::string_view text) {
  return change_case(text, ucasemap_utf8ToUpper);
}

std::string_view python_strip(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t after = begin;
    if (!is_python_space(next_character(text, after))) {
      break;
    }
    begin = after;
  }
  std::size_t end = text.size();
  while (end > begin) {
    std::size_t before = end - 1;
    while (before > begin && (static_cast<unsigned char>(text[before]) & 0xc0U) == 0x80U) {
      --before;
    }
    std::size_t at = before;
    if (!is_python_space(next_character(text, at))) {
      break;
    }
    end = before;
  }
  return text.substr(begin, end - begin);
}

std::string_view python_strip(std::string_view text, char character) {
  const std::size_t begin = text.find_first_not_of(character);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(character) - begin + 1);
}

std::string python_repr(double number) {
  char buffer[40];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  const std::string_view scientific(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const char* digits_of_exponent = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, scientific.data() + scientific.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    return std::string(scientific);
  }
  const auto fixed =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
  std::string text(buffer, fixed.ptr);
  if (!contains(text, ".")) {
    text += ".0";
  }
  return text;
}

std::string python_repr(std::string_view text) {
  const char quote = contains(text, "'") && !contains(text, "\"") ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == static_cast<unsigned char>(quote) || c == U'\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\r') {
      out += "\\r";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (is_python_printable(c)) {
      append_utf8(out, c);
    } else {
      append_escaped(out, c);
    }
  }
  return out + quote;
}

std::string python_json(std::string_view text) {
  std::string out = "\"";
  const auto escape = [&](unsigned unit) { out += fmt::format("\\u{:04x}", unit); };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    const std::size_t letter =
        c < 0x80 ? kPlain.find(static_cast<char>(c)) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      out += '\\';
      out += kLetters[letter];
    } else if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else if (c == 0x7f) {
      out += '\x7f';
    } else if (c < 0x10000) {
      escape(static_cast<unsigned>(c));
    } else {
      escape(0xd800U + ((static_cast<unsigned>(c) - 0x10000U) >> 10U));
      escape(0xdc00U + ((static_cast<unsigned>(c) - 0x10000U) & 0x3ffU));
    }
  }
  return out + '"';
}

std::string python_repr(const TextDict& dict) {
  std::string out = "{";
  for (const auto& [key, value] : dict) {
    out += fmt::format("{}{}: {}",
                       out.size() > 1 ? ", " : "",
                       python_repr(std::string_view(key)),
                       python_repr(std::string_view(value)));
  }
  return out + "}";
}

std::string python_json(const TextDict& dict) {
  std::string out = "{";
  for (const auto& [key, value] : dict) {
    out += fmt::format("{}{}: {}",
                       out.size() > 1 ? ", " : "",
                       python_json(std::string_view(key)),
                       python_json(std::string_view(value)));
  }
  return out + "}";
}

void set_item(TextDict& dict, std::string_view key, std::string_view value) {
  for (auto& [known, old] : dict) {
    if (known == key) {
      old = value;
      return;
    }
  }
  dict.emplace_back(key, value);
}

bool is_python_word(char32_t character) {
  if (character < 0x80) {
    return (character >= U'0' && character <= U'9') || (character >= U'a' && character <= U'z') ||
           (character >= U'A' && character <= U'Z') || character == U'_';
  }
  const auto mask = U_GET_GC_MASK(static_cast<UChar32>(character));
  return (mask & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

char32_t next_character(std::string_view text, std::size_t& at) {
  constexpr char32_t kBad = 0xfffd;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t lead = byte(at++);
  if (lead < 0x80) {
    return lead;
  }
  const std::size_t more = lead >= 0xf0 ? 3 : (lead >= 0xe0 ? 2 : 1);
  if (lead < 0xc2 || lead > 0xf4) {
    return kBad;
  }
  char32_t character = lead & (0x3fU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if (at == text.size() || (byte(at) & 0xc0U) != 0x80U) {
      return kBad;
    }
    character = (character << 6U) | (byte(at) & 0x3fU);
    ++at;
  }
  const char32_t least = more == 3 ? 0x10000 : (more == 2 ? 0x800 : 0x80);
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return character < least || character > 0x10ffff || surrogate ? kBad : character;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    out += next_character(text, at);
  }
  return out;
}

void append_utf8(std::string& text, char32_t character) {
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  const int more = character < 0x800 ? 1 : (character < 0x10000 ? 2 : 3);
  const char32_t mark = more == 1 ? 0xc0 : (more == 2 ? 0xe0 : 0xf0);
  text += static_cast<char>(mark | (character >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    text += static_cast<char>(0x80U | ((character >> (6 * i)) & 0x3fU));
  }
}

}  // namespace dreamgym::webshop
