// Nested lists as PDDL writes them, lower-cased, comments left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::alfworld {

/// An atom, or a list of them. Lifetime: atoms point into the text that was parsed.
struct Lisp {
  std::string_view atom;
  std::vector<Lisp> items;

  [[nodiscard]] bool is_atom() const { return !atom.empty(); }
  /// First atom of a list; "" if it does not begin with one.
  [[nodiscard]] std::string_view head() const {
    return items.empty() ? std::string_view() : items.front().atom;
  }
};

/// Lower-cases the text and blanks out its comments (";" to the end of the line); same length.
std::string normalized_pddl(std::string_view text);

/// The first list in `normalized`.
/// @throws Error kParse naming `what` and the place if brackets do not match.
Lisp parse_lisp(const std::string& normalized, std::string_view what);

/// One line, single blanks: equal for equal lists.
std::string to_text(const Lisp& lisp);

}  // namespace dreamgym::alfworld
