// Moves a base model to a domain's words: names become tokens the base has kept for names, frequent
// phrases become tokens of their own.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

struct DomainModel {
  ModelFiles model;
  std::vector<std::string> names;         ///< entity names of the domain
  std::vector<TokenId> content_names;     ///< tokens of names no first observation shows: what is found
  std::size_t names_left_out = 0;         ///< spelled with several tokens: the base ran out of names
  std::size_t new_tokens = 0;             ///< merged phrases
};

/// @param new_merges  phrases to learn; their embeddings start as the mean of their parts.
DomainModel adapt_vocabulary(const ModelFiles& base,
                             const std::vector<Trajectory>& logs,
                             std::size_t new_merges,
                             const Rng& rng);

/// A model of random weights with a tokenizer trained on the logs themselves.
ModelFiles fresh_model(const std::vector<Trajectory>& logs,
                       const std::string& preset,
                       std::uint64_t seed);

}  // namespace dreamgym
