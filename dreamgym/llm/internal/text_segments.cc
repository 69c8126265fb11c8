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

std::optional<TextSegment> TextSegmenter::next_piece(std::string_view text,
                                                     Markers markers,
                                                     Cursor& cursor) const {
  while (cursor.position < text.size()) {
    const char c = text[cursor.position];
    if (is_digit(c)) {
      return read_number(text, cursor);
    }
    const auto piece = is_letter(c) ? read_word(text, cursor) : read_sign(text, markers, cursor);
    if (piece) {
      return piece;
    }
  }
  return std::nullopt;
}

std::optional<TextSegment> TextSegmenter::read_word(std::string_view text, Cursor& cursor) const {
  const std::size_t start = cursor.position;
  while (cursor.position < text.size() && is_letter(text[cursor.position])) {
    ++cursor.position;
  }
  const TokenId name = start < cursor.names_from ? -1 : name_of(text, start, cursor.position);
  if (name < 0) {
    return std::nullopt;
  }
  const auto word = text.substr(start, cursor.position - start);
  return TextSegment{TextSegment::Kind::kName, name, word};
}

TextSegment TextSegmenter::read_number(std::string_view text, Cursor& cursor) {
  std::size_t start = cursor.position;
  while (cursor.position < text.size() && is_digit(text[cursor.position])) {
    ++cursor.position;
  }
  if (start > cursor.chunk_start && text[start - 1] == ' ') {
    --start;  // the blank belongs to the number
  }
  const auto number = text.substr(start, cursor.position - start);
  return TextSegment{TextSegment::Kind::kNumber, -1, number};
}

std::optional<TextSegment> TextSegmenter::read_sign(std::string_view text,
                                                    Markers markers,
                                                    Cursor& cursor) const {
  const std::size_t start = cursor.position++;
  if (!starts_marker_[static_cast<unsigned char>(text[start])] || start < cursor.names_from) {
    return std::nullopt;
  }
  const auto [length, token] = marker_at(text.substr(start));
  if (length == 0 || markers == Markers::kPlainText) {
    cursor.names_from = start + length;
    return std::nullopt;
  }
  cursor.position = start + length;
  return TextSegment{TextSegment::Kind::kMarker, token, text.substr(start, length)};
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
