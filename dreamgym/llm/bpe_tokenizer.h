// Byte-level BPE for small models that have to copy names.
//
// A name is one token, a number up to 99 with its leading blank is one token, and everything
// between names, numbers and markers is one chunk in which merges may cross blanks and punctuation.
// So ", and a " can become one token, and what has to be copied is never spelled. Any bytes can be
// encoded. On disk: Hugging Face's tokenizer.json (docs/formats/tokenizer.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/bpe_vocabulary.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Immutable; copies are cheap and share everything.
/// Thread safety: const members are reentrant.
class BpeTokenizer final : public Tokenizer {
 public:
  /// @throws Error kInvalidArgument naming what is wrong with the vocabulary.
  explicit BpeTokenizer(BpeVocabulary vocabulary);

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override;
  [[nodiscard]] std::vector<TokenId> encode_with_markers(std::string_view text) const override;
  /// @throws Error kInvalidArgument for an id outside the vocabulary.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override;
  [[nodiscard]] std::optional<TokenId> marker(std::string_view name) const override;
  [[nodiscard]] std::size_t vocabulary_size() const override;

  [[nodiscard]] const BpeVocabulary& vocabulary() const;
  /// The token whose text is exactly this.
  [[nodiscard]] std::optional<TokenId> find(std::string_view text) const;

  /// The text of a tokenizer.json with this tokenizer.
  [[nodiscard]] std::string to_json() const;
  /// @param origin  where the text came from, for messages.
  /// @throws Error kParse naming the origin and the entry that is wrong; kUnsupported for a
  ///               tokenizer of another kind.
  static BpeTokenizer from_json(std::string_view json, std::string_view origin);

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

void write_tokenizer(const BpeTokenizer& tokenizer, const Path& path);
BpeTokenizer read_tokenizer(const Path& path);

}  // namespace dreamgym
