// Actions that nobody types on purpose, for tests and benchmarks: what a session must survive.
//
// Half are possible (an element of the page, a search for some words), half are pieces of actions,
// brackets, letters of several scripts and bytes that are no text. Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/webshop/session.h"

namespace dreamgym::webshop {

inline std::string malformed_action(Rng& rng) {
  static const std::vector<std::string> kPieces = {
      "search[",  "click[",     "]",      "[",      "boots",      "black shoes", "next >",
      "< prev",   "buy now",    "<r>",    "<a>",    "<c> beauty", "<q>",         " ",
      "\n",       "\t",         "\u00e9", "\u0130", "\U0001f600", "\xff",        "\xf0\x9f",
      "\"",       "'",          "9",      "{}",     "\\",         "item_page",   "search_results",
      "features", "attributes", "%",      "&amp;",  "\0"};
  std::string action = rng.below(4) == 0 ? "" : (rng.below(3) == 0 ? "search[" : "click[");
  for (std::uint64_t i = 1 + rng.below(6); i > 0; --i) {
    action += rng.choose(kPieces);
  }
  return rng.below(4) == 0 ? action : action + "]";
}

inline std::string random_action(const Session& session, Rng& rng) {
  static const std::vector<std::string> kQueries = {
      "boots", "black shoes", "sandal", "soft body care for men", "item_page", "<c> beauty"};
  if (rng.below(2) == 0) {
    return malformed_action(rng);
  }
  if (session.clickables().empty() || rng.below(5) == 0) {
    return "search[" + rng.choose(kQueries) + "]";
  }
  return "click[" + rng.choose(session.clickables()).name + "]";
}

}  // namespace dreamgym::webshop
