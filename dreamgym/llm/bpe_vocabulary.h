// What a byte-pair tokenizer consists of, as a plain value.
//
// Token texts are raw bytes; the printable spelling of tokenizer.json is made on the way to disk.
// docs/formats/tokenizer.md explains the kinds of tokens. Thread safety: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

struct BpeVocabulary {
  /// Two neighbours become one token; earlier merges go first.
  struct Merge {
    TokenId left = 0;
    TokenId right = 0;
    TokenId result = 0;  ///< its text is the two texts joined
    bool operator==(const Merge&) const = default;
  };

  std::vector<std::string> tokens;  ///< [V] text of each token, all different, none empty
  std::vector<Merge> merges;        ///< by rank
  std::vector<TokenId> markers;     ///< structure the prompt; never made from plain text
  std::vector<TokenId> names;       ///< stand for one whole word each, before any merge
  std::vector<TokenId> name_pool;   ///< ascending; names no text needs, free to be renamed

  bool operator==(const BpeVocabulary&) const = default;
};

/// Whether a word can be a name token: two or more ASCII letters or underscores.
bool is_name_word(std::string_view word);

/// The markers, all bytes, the numbers " 0" to " 99", then the names, in this order; no other
/// merges than those that build the numbers.
/// @param pooled  whether the names may be renamed later (names of invented worlds).
/// @throws Error kInvalidArgument if a name can't be one or comes twice.
BpeVocabulary base_vocabulary(const std::vector<std::string>& names, bool pooled);

/// Text of a token that has lost its place: nothing encodes to it.
std::string unused_token_text(TokenId id);

/// The first thing that is wrong with a vocabulary, e.g. "merge 3 makes \"ab\", but token 300 is
/// \"b\"", or nothing.
std::optional<std::string> find_fault(const BpeVocabulary& vocabulary);

}  // namespace dreamgym
