// How BERT cleans a text and cuts it into words, as the Hugging Face tokenizers library does.
//
// Deviation: categories are those of utf8proc's Unicode; the reference's tables are older, so it
// keeps a few format characters and marks that came after Unicode 8. Thread safety: reentrant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

struct BertNormalizer {
  bool clean_text = true;     ///< drops control characters, turns every blank into a space
  bool split_chinese = true;  ///< a blank on both sides of every CJK ideograph
  bool strip_accents = true;  ///< NFD without nonspacing marks
  bool lowercase = true;
};

std::string bert_normalize(std::string_view text, const BertNormalizer& options);

/// Words of a normalised text: cut at blanks, each punctuation mark alone.
std::vector<std::string_view> bert_words(std::string_view text);

}  // namespace dreamgym
