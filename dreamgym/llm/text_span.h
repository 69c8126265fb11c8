// A piece of a text by its place.
#pragma once

#include <cstddef>

namespace dreamgym {

/// Bytes [begin, end).
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

}  // namespace dreamgym
