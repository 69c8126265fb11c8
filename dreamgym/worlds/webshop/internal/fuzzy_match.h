// How alike two texts are, as thefuzz 0.19 says without python-Levenshtein.
// Thread safety: pure. Source: seatgeek/thefuzz 0.19, CPython difflib (behaviour).
#pragma once

#include <string_view>

namespace dreamgym::webshop {

/// fuzz.token_set_ratio(first, second): 0 to 100. Order matters in rare ties.
int token_set_ratio(std::string_view first, std::string_view second);

/// difflib.SequenceMatcher(None, first, second).ratio(), code points.
double sequence_ratio(std::string_view first, std::string_view second);

}  // namespace dreamgym::webshop
