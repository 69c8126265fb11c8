// Words of a text as Lucene's StandardTokenizer finds them: Unicode word boundaries (UAX #29),
// one token for each ideograph, hiragana and emoji, runs of South-East Asian script whole.
//
// Character classes are ICU's; Lucene 8 has those of Unicode 9, which differ in a few symbols.
// Thread safety: pure.
#pragma once

#include <functional>
#include <string_view>

namespace dreamgym::webshop {

/// Visits each word, a piece of `text`, from left to right; what is no valid UTF-8 separates words.
/// A word of more than 255 UTF-16 units comes in pieces of 255.
void for_each_word(std::string_view text, const std::function<void(std::string_view word)>& visit);

}  // namespace dreamgym::webshop
