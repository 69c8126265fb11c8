// How a text of a pattern that was broken off can still be ended.
//
// Pure. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <string_view>

#include "dreamgym/llm/grammar/pattern.h"

namespace dreamgym {

/// What may follow `said` so that a text of the pattern ends: repeats as few as they may be, every alternative still
/// open, so that nothing is decided by being the shorter word. Null if no text of the pattern begins with `said`.
PatternPtr shortest_end(const Pattern& pattern, std::string_view said);

/// Bytes of the longest text; Pattern::kUnlimited where there is none.
std::size_t longest_text(const Pattern& pattern);

}  // namespace dreamgym
