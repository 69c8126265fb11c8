#include "dreamgym/base/text.h"

#include <algorithm>
#include <numeric>

#include "dreamgym/base/utf8.h"

namespace dreamgym {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::size_t byte_at(std::string_view text, std::size_t position) {
  return static_cast<unsigned char>(text[position]);
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  pieces.emplace_back(text.substr(begin));
  return pieces;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  std::size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    found.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return found;
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) {
      joined += separator;
    }
    joined += pieces[i];
  }
  return joined;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) {
    return std::string(text);
  }
  std::string replaced;
  std::size_t begin = 0;
  for (std::size_t found = text.find(from); found != std::string_view::npos;
       found = text.find(from, begin)) {
    replaced += text.substr(begin, found - begin);
    replaced += to;
    begin = found + from.size();
  }
  replaced += text.substr(begin);
  return replaced;
}

bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

bool consume_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t length = utf8_character(text, position).num_bytes;
    if (length == 0) {
      return position;
    }
    position += length;
  }
  return std::string_view::npos;
}

std::string shorten(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return std::string(text);
  }
  std::size_t cut = max_bytes;
  while (cut > 0 && (byte_at(text, cut) & 0xc0) == 0x80) {
    --cut;
  }
  return std::string(text.substr(0, cut)) + "...";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distances(b.size() + 1);  // from a[0, i) to each b[0, j)
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = distances[0];
    distances[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = distances[j + 1];
      distances[j + 1] = std::min({substituted, distances[j] + 1, diagonal + 1});
    }
  }
  return distances.back();
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const auto best = std::ranges::min_element(
      candidates, {}, [&](const std::string& candidate) { return edit_distance(name, candidate); });
  return best == candidates.end() ? "" : *best;
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

std::string to_hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i > 0; --i) {
    digits[i - 1] = "0123456789abcdef"[value & 0xf];
    value >>= 4;
  }
  return digits;
}

}  // namespace dreamgym
