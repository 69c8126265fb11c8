// WordPiece tokenizers of BERT-like sentence encoders.
//
// Ids are those of the Hugging Face tokenizers library, [CLS] and [SEP] included; texts are not
// cut to a length.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Immutable; copies are cheap and share everything. Not a Tokenizer: what BERT drops from a text
/// can't be decoded. Thread safety: const members are reentrant.
class WordPieceTokenizer {
 public:
  /// @param json    text of a tokenizer.json whose model is WordPiece.
  /// @param origin  where it came from, for messages.
  /// @throws Error kParse or kUnsupported naming the entry.
  static WordPieceTokenizer from_json(std::string_view json, const std::string& origin);

  /// Special tokens written in the text become their ids.
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const;
  [[nodiscard]] std::size_t vocabulary_size() const;

 private:
  struct Tables;
  explicit WordPieceTokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

WordPieceTokenizer read_word_piece(const Path& tokenizer_json);

}  // namespace dreamgym
