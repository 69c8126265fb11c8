// Sentence patterns with slots, and the ways in which worlds write lists.
//
// A world draws one pattern for each thing it can say and keeps it for the whole trajectory, so
// that a reader learns the pattern and not one grammar. Thread safety: pure functions.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym::invented {

struct Slot {
  char key;  ///< written "{x}" in a pattern
  std::string_view text;
};

/// The pattern with every "{key}" replaced; slots the pattern does not use are ignored.
std::string fill(std::string_view pattern, std::initializer_list<Slot> slots);

/// How a world writes several things in a row.
struct ListForm {
  std::string_view article;  ///< before every item, with its blank, e.g. "a "
  std::string_view between;  ///< e.g. ", "
  std::string_view last;     ///< before the last of several, e.g. ", and "
  std::string_view nothing;  ///< for an empty list
};

std::string list_text(const std::vector<std::string>& items, const ListForm& form);

/// A random form; ALFWorld's own ("a x, a y, and a z") is the most frequent.
ListForm draw_list_form(Rng& rng);

inline std::string_view draw(std::span<const std::string_view> patterns, Rng& rng) {
  return patterns[rng.below(patterns.size())];
}

/// True with probability p.
inline bool chance(double p, Rng& rng) {
  return rng.uniform() < p;
}

/// Uniform in {low, ..., high}.
inline int between(int low, int high, Rng& rng) {
  return low + static_cast<int>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
}

}  // namespace dreamgym::invented
