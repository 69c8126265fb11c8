#include "dreamgym/llm/internal/bert_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dreamgym/base/utf8.h"
#include "dreamgym/llm/internal/character_class.h"
#include "dreamgym/llm/internal/normal_form.h"

namespace dreamgym {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr char32_t kCapitalIWithDot = 0x130;

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

bool is_dropped(char32_t code_point) {
  if (code_point == U'\t' || code_point == U'\n' || code_point == U'\r') {
    return false;
  }
  const utf8proc_category_t category = category_of(code_point);
  return code_point == 0 || code_point == kReplacement || category == UTF8PROC_CATEGORY_CC ||
         category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
}

bool is_chinese(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges = {{{0x3400, 0x4dbf},
                                                                     {0x4e00, 0x9fff},
                                                                     {0xf900, 0xfaff},
                                                                     {0x20000, 0x2a6df},
                                                                     {0x2a700, 0x2b73f},
                                                                     {0x2b740, 0x2b81f},
                                                                     {0x2b920, 0x2ceaf},
                                                                     {0x2f800, 0x2fa1f}}};
  return std::ranges::any_of(kRanges, [&](const auto& range) {
    return code_point >= range.first && code_point <= range.second;
  });
}

bool is_punctuation(char32_t code_point) {
  if (code_point < 0x80) {
    return (code_point >= 33 && code_point <= 47) || (code_point >= 58 && code_point <= 64) ||
           (code_point >= 91 && code_point <= 96) || (code_point >= 123 && code_point <= 126);
  }
  const utf8proc_category_t category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/// Calls visit(code point, its bytes); bytes that are no UTF-8 are passed over.
template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    if (character.num_bytes > 0) {
      visit(character.code_point, text.substr(position, character.num_bytes));
    }
    position += std::max<std::size_t>(1, character.num_bytes);
  }
}

std::string clean(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t code_point, std::string_view bytes) {
    if (is_dropped(code_point)) {
      return;
    }
    if (is_white_space(code_point)) {
      out += ' ';
    } else {
      out += bytes;
    }
  });
  return out;
}

std::string space_chinese(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t code_point, std::string_view bytes) {
    const bool chinese = is_chinese(code_point);
    out += chinese ? " " : "";
    out += bytes;
    out += chinese ? " " : "";
  });
  return out;
}

std::string without_accents(std::string_view text) {
  std::string out;
  for_each_character(to_nfd(text), [&](char32_t code_point, std::string_view bytes) {
    if (category_of(code_point) != UTF8PROC_CATEGORY_MN) {
      out += bytes;
    }
  });
  return out;
}

std::string lower(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t code_point, std::string_view) {
    if (code_point == kCapitalIWithDot) {
      out += "i\xcc\x87";  // the one character whose small form is two
    } else {
      append_utf8(
          out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))));
    }
  });
  return out;
}

}  // namespace

std::string bert_normalize(std::string_view text, const BertNormalizer& options) {
  std::string out = options.clean_text ? clean(text) : std::string(text);
  if (options.split_chinese) {
    out = space_chinese(out);
  }
  if (options.strip_accents) {
    out = without_accents(out);
  }
  return options.lowercase ? lower(out) : out;
}

std::vector<std::string_view> bert_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;  // of the word being read
  const auto end_word = [&](std::size_t end) {
    if (end > begin) {
      words.push_back(text.substr(begin, end - begin));
    }
  };
  for_each_character(text, [&](char32_t code_point, std::string_view bytes) {
    const auto position = static_cast<std::size_t>(bytes.data() - text.data());
    const bool punctuation = is_punctuation(code_point);
    if (!punctuation && !is_white_space(code_point)) {
      return;
    }
    end_word(position);
    begin = position + bytes.size();
    if (punctuation) {
      words.push_back(bytes);
    }
  });
  end_word(text.size());
  return words;
}

}  // namespace dreamgym
