#include "dreamgym/llm/internal/vocabulary_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/internal/vocabulary_layout.h"

namespace dreamgym {

void VocabularyBuilder::add_token(TokenId id, const std::string& spelling) {
  const auto index = static_cast<std::size_t>(id);
  auto& tokens = vocabulary_.tokens;
  tokens.resize(std::max(tokens.size(), index + 1));
  if (spelling.empty() || !tokens[index].empty()) {
    fail_tokenizer(origin_, fmt::format("the token {} is empty or there are two with this id", id));
  }
  tokens[index] = unspell_bytes(spelling).value_or(spelling);
  by_spelling_.emplace(spelling, id);
}

TokenId VocabularyBuilder::id_of(std::size_t rank, std::string_view spelling) const {
  const auto found = by_spelling_.find(spelling);
  if (found == by_spelling_.end()) {
    fail_tokenizer(origin_,
                   fmt::format("merge {} needs the token \"{}\", which is not in the vocabulary",
                               rank,
                               shorten(spelling, 80)));
  }
  return found->second;
}

void VocabularyBuilder::add_merge(std::size_t rank, std::string_view left, std::string_view right) {
  const std::string joined = std::string(left) + std::string(right);
  vocabulary_.merges.push_back({id_of(rank, left), id_of(rank, right), id_of(rank, joined)});
}

void VocabularyBuilder::add_merge(std::size_t rank, std::string_view both) {
  const std::size_t blank = both.find(' ');
  if (blank == std::string_view::npos || both.find(' ', blank + 1) != std::string_view::npos) {
    fail_tokenizer(origin_,
                   fmt::format("merge {} is \"{}\", expected two tokens with a blank between",
                               rank,
                               shorten(both, 80)));
  }
  add_merge(rank, both.substr(0, blank), both.substr(blank + 1));
}

}  // namespace dreamgym
