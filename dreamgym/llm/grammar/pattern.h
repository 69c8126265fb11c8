// Regular sets of byte strings, written as values: what a constrained reply may consist of.
//
// Pure. Thread safety: values; parts are shared and immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dreamgym {

struct Pattern;
using PatternPtr = std::shared_ptr<const Pattern>;

struct Pattern {
  enum class Kind {
    kBytes,     ///< one byte in [low, high]
    kSequence,  ///< the parts one after the other; none = the empty string
    kAnyOf,     ///< one of the parts
    kRepeat,    ///< the only part, at_least to at_most times
  };
  static constexpr std::size_t kUnlimited = SIZE_MAX;

  Kind kind = Kind::kSequence;
  unsigned char low = 0;
  unsigned char high = 0;
  std::vector<PatternPtr> parts;
  std::size_t at_least = 0;
  std::size_t at_most = 0;
};

namespace pattern {

PatternPtr bytes(unsigned char low, unsigned char high);
PatternPtr literal(const std::string& text);
PatternPtr sequence(std::vector<PatternPtr> parts);
PatternPtr any_of(std::vector<PatternPtr> parts);
/// @param at_most  Pattern::kUnlimited = any number.
PatternPtr repeat(PatternPtr part, std::size_t at_least, std::size_t at_most);
PatternPtr optional(PatternPtr part);
/// One character of well-formed UTF-8 above U+007F.
PatternPtr beyond_ascii();

}  // namespace pattern
}  // namespace dreamgym
