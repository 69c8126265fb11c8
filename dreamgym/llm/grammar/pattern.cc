#include "dreamgym/llm/grammar/pattern.h"

#include <utility>

namespace dreamgym::pattern {
namespace {

PatternPtr make(Pattern pattern) { return std::make_shared<const Pattern>(std::move(pattern)); }

}  // namespace

PatternPtr bytes(unsigned char low, unsigned char high) {
  Pattern pattern;
  pattern.kind = Pattern::Kind::kBytes;
  pattern.low = low;
  pattern.high = high;
  return make(std::move(pattern));
}

PatternPtr literal(const std::string& text) {
  std::vector<PatternPtr> parts;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    parts.push_back(bytes(byte, byte));
  }
  return sequence(std::move(parts));
}

PatternPtr sequence(std::vector<PatternPtr> parts) {
  Pattern pattern;
  pattern.parts = std::move(parts);
  return make(std::move(pattern));
}

PatternPtr any_of(std::vector<PatternPtr> parts) {
  Pattern pattern;
  pattern.kind = Pattern::Kind::kAnyOf;
  pattern.parts = std::move(parts);
  return make(std::move(pattern));
}

PatternPtr repeat(PatternPtr part, std::size_t at_least, std::size_t at_most) {
  Pattern pattern;
  pattern.kind = Pattern::Kind::kRepeat;
  pattern.parts = {std::move(part)};
  pattern.at_least = at_least;
  pattern.at_most = at_most;
  return make(std::move(pattern));
}

PatternPtr optional(PatternPtr part) { return repeat(std::move(part), 0, 1); }

PatternPtr beyond_ascii() {
  const PatternPtr tail = bytes(0x80, 0xbf);
  // Shortest forms only, no surrogates, nothing above U+10FFFF.
  return any_of({sequence({bytes(0xc2, 0xdf), tail}),
                 sequence({bytes(0xe0, 0xe0), bytes(0xa0, 0xbf), tail}),
                 sequence({bytes(0xe1, 0xec), tail, tail}),
                 sequence({bytes(0xed, 0xed), bytes(0x80, 0x9f), tail}),
                 sequence({bytes(0xee, 0xef), tail, tail}),
                 sequence({bytes(0xf0, 0xf0), bytes(0x90, 0xbf), tail, tail}),
                 sequence({bytes(0xf1, 0xf3), tail, tail, tail}),
                 sequence({bytes(0xf4, 0xf4), bytes(0x80, 0x8f), tail, tail})});
}

}  // namespace dreamgym::pattern
