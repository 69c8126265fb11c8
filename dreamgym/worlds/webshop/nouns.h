// The nouns of product names: half of the reward's idea of what kind of thing was bought.
//
// The original tags names with spaCy. A recorded list gives its very answer; a name without one
// goes through a small rule-based tagger of our own, whose agreement with spaCy is measured in
// docs/worlds/webshop.md. Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym::webshop {

/// Lower-cased tokens of a name that are nouns or proper nouns, in order, repeated ones kept.
using Nouns = std::vector<std::string>;

class NounLists {
 public:
  NounLists() = default;
  explicit NounLists(std::unordered_map<std::string, Nouns> by_asin)
      : by_asin_(std::move(by_asin)) {}

  /// The recorded list of the product, else tag_nouns(name).
  [[nodiscard]] Nouns find(std::string_view asin, std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return by_asin_.size(); }

 private:
  std::unordered_map<std::string, Nouns> by_asin_;
};

/// {"nouns": {asin: [noun, ...]}}. @throws Error kParse, kNotFound naming the file.
NounLists load_noun_lists(const Path& path);

/// Our own guess.
Nouns tag_nouns(std::string_view name);

}  // namespace dreamgym::webshop
