// Learning a byte-pair vocabulary from a corpus.
//
// Pure functions; equal input gives an equal tokenizer on every machine (the most frequent pair
// first, ties to the lower ids).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/name_tokens.h"

namespace dreamgym {

struct MergeTrainingConfig {
  std::size_t max_new_tokens = 1024;  ///< fewer if no pair is frequent enough
  std::size_t min_pair_count = 4;     ///< occurrences of a pair worth a token; >= 1
  std::size_t max_token_bytes = 96;   ///< longest phrase that may become one token
};

struct BpeTrainingConfig {
  std::size_t vocabulary_size = 4096;  ///< at most; markers, bytes, numbers and names included
  NameRule name_rule{};                ///< which words of the texts are names
  std::size_t max_names = 1024;        ///< the given ones first, then the most frequent
  bool names_are_pool = false;         ///< the names are invented: later domains may rename them
  std::size_t min_pair_count = 4;
  std::size_t max_token_bytes = 96;
};

/// Learns a tokenizer: names by find_names() and those given, the rest by merges.
/// @param texts  markers in them are boundaries.
/// @throws Error kInvalidArgument if the size can't hold markers, bytes, numbers and names.
BpeTokenizer train_bpe(std::span<const std::string> texts,
                       const std::vector<std::string>& names,
                       const BpeTrainingConfig& config);

struct ExtendedTokenizer {
  BpeTokenizer tokenizer;
  /// A new embedding row may start as the mean of the rows of its two parts (a part can be new
  /// itself, but then it stands earlier in the list).
  std::vector<BpeVocabulary::Merge> new_tokens;
};

/// Adds merges learnt on another domain's texts; all existing ids keep their meaning, new ones
/// follow. Merges cross no name, number or marker and spell none.
ExtendedTokenizer extend_merges(const BpeTokenizer& tokenizer,
                                std::span<const std::string> texts,
                                const MergeTrainingConfig& config);

}  // namespace dreamgym
