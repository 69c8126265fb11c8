// Things a text names: a lower-case word and a number, "mug 1".
//
// The one notion of a thing that rules on the text of any world share. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

struct EntitySpan {
  std::size_t begin = 0;   ///< bytes
  std::size_t length = 0;  ///< of word, blank and number
  std::size_t word = 0;    ///< length of the word
};

/// In the text's order; "take mug 1 from desk 12" -> "mug 1", "desk 12".
std::vector<EntitySpan> entity_spans(std::string_view text);
std::vector<std::string> entities_of(std::string_view text);
/// Those that are neither the place nor one of the action's own things.
std::vector<std::string> entities_beside(std::string_view text,
                                         std::string_view place,
                                         std::string_view action);

}  // namespace dreamgym
