// Names as tokens: finding them in texts, and moving a vocabulary to another domain's names.
//
// To a base model that has read invented worlds every name is just something to copy; so a name
// token of such a world can be given to a name of the user's domain, embedding and all, and the
// vocabulary keeps its size. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/bpe_tokenizer.h"

namespace dreamgym {

/// What makes a word before a number a name. In the real household logs the things' own words stand
/// before a number in 14% to 70% of their occurrences, other words in less than 8%.
struct NameRule {
  std::size_t min_count = 2;  ///< occurrences before a number
  double min_share = 0.1;     ///< of all its occurrences that are before a number
};

/// Lower-case words that stand before a number ("soapbottle" in "soapbottle 1"), the most frequent
/// first, equally frequent ones in alphabetical order.
std::vector<std::string> find_names(std::span<const std::string> texts, const NameRule& rule = {});

/// Lower-case words that occur at least `min_count` times, the most frequent first, equally frequent
/// ones in alphabetical order: what a domain without numbered things has in the place of names.
std::vector<std::string> find_words(std::span<const std::string> texts, std::size_t min_count);

struct AdoptedNames {
  BpeTokenizer tokenizer;
  std::size_t num_known = 0;     ///< were name tokens already (and have left the pool)
  std::size_t num_renamed = 0;   ///< took a token of the pool
  std::size_t num_left_out = 0;  ///< found the pool empty and stay several tokens each
};

/// Renames tokens of the pool, drawn at random, to the names, in their order; ids and size stay. A
/// merged token that spells a new name gives its text up, with the merges built on it: its id stays
/// but encodes nothing any more.
/// @throws Error kInvalidArgument if a name can't be a name token.
AdoptedNames adopt_names(const BpeTokenizer& tokenizer,
                         const std::vector<std::string>& names,
                         Rng rng);

}  // namespace dreamgym
