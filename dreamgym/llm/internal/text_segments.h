// A text cut into names, numbers, markers and the chunks between them.
//
// Merges happen inside a chunk only. The cut is the one the Hugging Face tokenizers library makes
// from the added tokens and pre-tokenizer that tokenizer.json names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/llm/bpe_vocabulary.h"

namespace dreamgym {

/// Hash and equality that let a map of strings be asked with a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using TokenByText = std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>>;

struct TextSegment {
  enum class Kind : std::uint8_t { kChunk, kNumber, kName, kMarker };
  Kind kind = Kind::kChunk;
  TokenId token = -1;  ///< of a name or marker
  std::string_view text;
};

/// Thread safety: const members are reentrant.
class TextSegmenter {
 public:
  explicit TextSegmenter(const BpeVocabulary& vocabulary);

  /// As plain text, a marker belongs to the chunk around it and no name is found inside it.
  enum class Markers : std::uint8_t { kPlainText, kRecognised };
  /// Calls visit(segment) for each piece from left to right; together they are the whole text.
  template <class Visit>
  void for_each(std::string_view text, Markers markers, const Visit& visit) const;

 private:
  /// How far a text has been read.
  struct Cursor {
    std::size_t position = 0;
    std::size_t chunk_start = 0;  ///< the chunk being read begins here
    std::size_t names_from = 0;   ///< before it lies a marker that is plain text
  };

  /// The next name, number or marker; moves the cursor behind it, or to the end if there is none.
  std::optional<TextSegment> next_piece(std::string_view text,
                                        Markers markers,
                                        Cursor& cursor) const;
  /// Each reads on from a position where its kind may begin.
  std::optional<TextSegment> read_word(std::string_view text, Cursor& cursor) const;
  static TextSegment read_number(std::string_view text, Cursor& cursor);
  std::optional<TextSegment> read_sign(std::string_view text,
                                       Markers markers,
                                       Cursor& cursor) const;

  /// Length and id of the longest marker at the start of the text; {0, -1} if there is none.
  [[nodiscard]] std::pair<std::size_t, TokenId> marker_at(std::string_view text) const;
  /// The name that is the word [start, end), or -1. Both ends of the word must be ends of a word in
  /// the Unicode sense.
  [[nodiscard]] TokenId name_of(std::string_view text, std::size_t start, std::size_t end) const;

  std::vector<std::pair<std::string, TokenId>> markers_;  // longest first
  std::array<bool, 256> starts_marker_{};                 // by first byte
  TokenByText names_;
  std::size_t longest_name_ = 0;
};

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <class Visit>
void TextSegmenter::for_each(std::string_view text, Markers markers, const Visit& visit) const {
  Cursor cursor;
  const auto visit_chunk = [&](std::size_t end) {
    if (end > cursor.chunk_start) {
      const auto chunk = text.substr(cursor.chunk_start, end - cursor.chunk_start);
      visit(TextSegment{TextSegment::Kind::kChunk, -1, chunk});
    }
  };
  while (const auto piece = next_piece(text, markers, cursor)) {
    visit_chunk(cursor.position - piece->text.size());
    visit(*piece);
    cursor.chunk_start = cursor.position;
  }
  visit_chunk(text.size());
}

}  // namespace dreamgym
