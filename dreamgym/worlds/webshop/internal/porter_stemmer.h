// The Porter stemmer as Lucene has it: the algorithm of 1980 with its author's two later
// departures ("bli" -> "ble", "logi" -> "log"), which Snowball's "porter" lacks.
//
// Any character that is not a vowel letter counts as a consonant. Thread safety: pure.
// Source: M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980.
#pragma once

#include <string>

namespace dreamgym::webshop {

/// Stems a lower-case word in place; words of one or two characters stay as they are.
void porter_stem(std::string& word);     ///< ASCII
void porter_stem(std::u16string& word);  ///< any; UTF-16, as Lucene counts

}  // namespace dreamgym::webshop
