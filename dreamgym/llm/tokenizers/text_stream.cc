#include "dreamgym/llm/tokenizers/text_stream.h"

#include <array>
#include <utility>

#include "dreamgym/base/utf8.h"

namespace dreamgym {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// Whether the bytes could be the beginning of a character: some tail makes them one.
bool begins_character(std::string_view bytes) {
  constexpr std::array<std::string_view, 3> kTails = {"\x80\x80", "\x90\x80", "\xa0\x80"};
  for (const std::string_view tail : kTails) {
    for (std::size_t num_bytes = 0; num_bytes <= 2; ++num_bytes) {
      const std::string whole =
          std::string(bytes) + std::string(tail.substr(0, 1)) + std::string(num_bytes, '\x80');
      if (utf8_character(whole, 0).num_bytes == whole.size()) {
        return true;
      }
    }
  }
  return false;
}

/// Bytes of the longest beginning of a character at the start of the text, at least 1.
std::size_t broken_bytes(std::string_view text) {
  std::size_t length = 1;
  while (length < 3 && length < text.size() && begins_character(text.substr(0, length + 1))) {
    ++length;
  }
  return length;
}

}  // namespace

std::string TextStream::push(std::string_view bytes) {
  pending_ += bytes;
  std::string text;
  std::size_t position = 0;
  while (position < pending_.size()) {
    const std::string_view rest = std::string_view(pending_).substr(position);
    if (const std::size_t length = utf8_character(rest, 0).num_bytes; length > 0) {
      text += rest.substr(0, length);
      position += length;
    } else if (rest.size() < 4 && begins_character(rest)) {
      break;  // may become one
    } else {
      text += kReplacement;
      position += broken_bytes(rest);
    }
  }
  pending_.erase(0, position);
  return text;
}

std::string TextStream::finish() {
  return std::exchange(pending_, {}).empty() ? std::string() : std::string(kReplacement);
}

}  // namespace dreamgym
