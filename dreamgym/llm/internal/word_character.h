// What counts as part of a word next to a name, as the Hugging Face tokenizers library sees it.
#pragma once

#include <cstddef>
#include <string_view>

namespace dreamgym {

/// Whether the text before / from `position` ends / starts with a word character (Unicode \w).
/// Bytes that are no valid UTF-8 are not part of words. Thread safety: reentrant.
bool word_character_before(std::string_view text, std::size_t position);
bool word_character_at(std::string_view text, std::size_t position);

}  // namespace dreamgym
