#include "dreamgym/llm/internal/text_segments.h"

#include <algorithm>

#include "dreamgym/llm/internal/word_character.h"

namespace dreamgym {

TextSegmenter::TextSegmenter(const BpeVocabulary& vocabulary) {
  const auto text = [&](TokenId id) { return vocabulary.tokens[static_cast<std::size_t>(id)]; };
  for (const TokenId id : vocabulary.markers) {
    markers_.emplace_back(text(id), id);
    starts_marker_[static_cast<unsigned char>(text(id).front())] = true;
  }
  std::ranges::stable_sort(
      markers_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const TokenId id : vocabulary.names) {
    names_.emplace(text(id), id);
    longest_name_ = std::max(longest_name_, text(id).size());
  }
}

std::pair<std::size_t, TokenId> TextSegmenter::marker_at(std::string_view text) const {
  for (const auto& [marker, id] : markers_) {
    if (text.starts_with(marker)) {
      return {marker.size(), id};
    }
  }
  return {0, -1};
}

TokenId TextSegmenter::name_of(std::string_view text, std::size_t start, std::size_t end) const {
  if (end - start > longest_name_) {
    return -1;
  }
  const auto found = names_.find(text.substr(start, end - start));
  if (found == names_.end() || word_character_before(text, start) || word_character_at(text, end)) {
    return -1;
  }
  return found->second;
}

}  // namespace dreamgym
