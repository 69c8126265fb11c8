// Small text functions. Pure; no locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

std::string_view trim(std::string_view text);
/// Pieces between separators, empty ones included; split("", ',') is {""}.
std::vector<std::string> split(std::string_view text, char separator);
/// Words between runs of blanks.
std::vector<std::string> words(std::string_view text);
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
std::string to_lower(std::string_view text);  ///< ASCII
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
bool contains(std::string_view text, std::string_view piece);
/// Removes `prefix` from the front of `text` if it is there; tells whether it was.
bool consume_prefix(std::string_view& text, std::string_view prefix);

/// Position of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);
/// At most max_bytes of the text, cut at a UTF-8 boundary, with "..." where it was cut.
std::string shorten(std::string_view text, std::size_t max_bytes);

/// Levenshtein distance in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate with the smallest edit distance (first of equals); "" if there are none.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// 64-bit FNV-1a; stable across machines, so it may name things on disk.
std::uint64_t hash_text(std::string_view text);
/// 16 hexadecimal digits.
std::string to_hex(std::uint64_t value);

}  // namespace dreamgym
