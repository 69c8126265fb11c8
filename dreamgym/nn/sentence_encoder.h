// BERT-like sentence encoders (MiniLM and its kin) as an Embedder.
//
// Token, position and segment embeddings, then layers of bidirectional attention and a GELU MLP,
// each followed by LayerNorm; the mean of the last layer over all tokens, brought to length 1.
// Source: sentence-transformers' Transformer + mean Pooling + Normalize on BertModel.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/embedder.h"
#include "dreamgym/llm/tokenizers/word_piece.h"

namespace dreamgym {

/// Immutable. Thread safety: const members are reentrant.
class SentenceEncoder final : public Embedder {
 public:
  /// @param folder  config.json (model_type bert), model.safetensors, tokenizer.json and, where they
  ///                are, 1_Pooling/config.json and sentence_bert_config.json.
  /// @throws Error kNotFound, kParse, kCorrupt; kUnsupported for another architecture, activation,
  ///         kind of positions or pooling.
  explicit SentenceEncoder(const Path& folder);
  ~SentenceEncoder() override;

  [[nodiscard]] std::size_t dimension() const override;
  /// Texts of more than max_tokens() tokens are cut, as the reference does.
  [[nodiscard]] std::vector<float> embed(std::string_view text) const override;
  [[nodiscard]] std::string name() const override;

  /// The same of several texts at once: rows of all share the matrix products.
  [[nodiscard]] std::vector<std::vector<float>> embed_all(
      const std::vector<std::string>& texts) const;
  [[nodiscard]] std::size_t max_tokens() const;
  [[nodiscard]] const WordPieceTokenizer& tokenizer() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace dreamgym
