// Words without the punctuation around them. Pure; no locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

/// The word without characters of `marks` at its ends; "" if it is nothing else.
std::string_view without_marks(std::string_view word, std::string_view marks);
/// Lower-cased words without marks at their ends; those that are nothing else are left out.
std::vector<std::string> lower_words_without_marks(std::string_view text, std::string_view marks);

}  // namespace dreamgym
