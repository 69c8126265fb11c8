// Python's text functions, where the original's pages and rewards hang on their exact behaviour.
//
// Text is UTF-8; a byte that belongs to no character counts as U+FFFD. Thread safety: pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dreamgym::webshop {

/// str.lower(): full Unicode mapping ("ẞ", final sigma, dotted I included).
std::string python_lower(std::string_view text);
/// str.upper().
std::string python_upper(std::string_view text);
/// str.strip(): Unicode white space.
std::string_view python_strip(std::string_view text);
/// str.strip(characters) for one ASCII character.
std::string_view python_strip(std::string_view text, char character);
/// repr(float): shortest digits that read back, "34.0", "1e+16".
std::string python_repr(double number);
/// repr(str): single quotes unless it holds one and no double one.
std::string python_repr(std::string_view text);
/// json.dumps(str): quoted, ASCII only.
std::string python_json(std::string_view text);

/// A dict of texts, in insertion order.
using TextDict = std::vector<std::pair<std::string, std::string>>;
std::string python_repr(const TextDict& dict);
std::string python_json(const TextDict& dict);
/// dict[key] = value: a known key keeps its place.
void set_item(TextDict& dict, std::string_view key, std::string_view value);

/// str.isalnum() or '_': what \w matches.
bool is_python_word(char32_t character);
/// The code point that begins at `at`, which moves behind it.
char32_t next_character(std::string_view text, std::size_t& at);
/// Code points.
std::u32string decode_utf8(std::string_view text);
void append_utf8(std::string& text, char32_t character);

}  // namespace dreamgym::webshop
