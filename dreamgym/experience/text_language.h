// Whether two texts can be of the same language, roughly: a guard against a teacher that answers in another one.
//
// Compares the scripts most of their letters belong to, and, where both are Latin and long enough, whether one is
// full of English function words and the other has none. Knows no other language.
// Pure. Thread safety: reentrant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dreamgym {

/// In what the text differs from the reference, for people; nothing if no difference was found.
std::optional<std::string> language_difference(std::string_view reference, std::string_view text);

}  // namespace dreamgym
