// Tokens and merges of a file, put together by their texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dreamgym/llm/internal/text_segments.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// Texts come in GPT-2's spelling of bytes. Every member throws Error kParse naming the origin.
/// Thread safety: none.
class VocabularyBuilder {
 public:
  explicit VocabularyBuilder(std::string origin) : origin_(std::move(origin)) {}

  /// @param id  bounded by the caller. A text that spells no bytes stands for itself.
  void add_token(TokenId id, const std::string& spelling);
  void add_merge(std::size_t rank, std::string_view left, std::string_view right);
  /// "left right".
  void add_merge(std::size_t rank, std::string_view both);
  /// What has been added.
  PretrainedVocabulary finish() { return std::move(vocabulary_); }

 private:
  [[nodiscard]] TokenId id_of(std::size_t rank, std::string_view spelling) const;

  std::string origin_;
  PretrainedVocabulary vocabulary_;
  TokenByText by_spelling_;
};

}  // namespace dreamgym
