// Moves a base model to a domain's words: names become tokens the base has kept for names, frequent
// phrases become tokens of their own.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

struct DomainModel {
  ModelFiles model;
  std::vector<std::string> names;         ///< entity names of the domain
  /// What may be permuted while training: tokens of names no first observation shows (what is found); where
  /// words were adopted, of those that tell tasks apart.
  std::vector<TokenId> content_names;
  std::size_t names_left_out = 0;         ///< spelled with several tokens: the base ran out of names
  std::size_t num_words = 0;              ///< words that became name tokens
  std::size_t new_tokens = 0;             ///< merged phrases
};

/// How much of a domain's vocabulary gets tokens.
struct VocabularyPlan {
  std::size_t new_merges = 0;  ///< phrases to learn; their embeddings start as the mean of their parts
  /// Frequent words to make name tokens, in a domain whose things have words instead of names and
  /// numbers (a shop); only words of several tokens, and only while the base has names left.
  std::size_t name_words = 0;
};

VocabularyPlan vocabulary_plan(const BaseConfig& config);

DomainModel adapt_vocabulary(const ModelFiles& base,
                             const std::vector<Trajectory>& logs,
                             const VocabularyPlan& plan,
                             const Rng& rng);

/// A model of random weights with a tokenizer trained on the logs themselves.
ModelFiles fresh_model(const std::vector<Trajectory>& logs,
                       const std::string& preset,
                       std::uint64_t seed);

}  // namespace dreamgym
