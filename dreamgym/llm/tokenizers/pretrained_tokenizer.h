// Byte-level BPE tokenizers of pretrained models: GPT-2, Llama 3, Qwen2/3, SmolLM2.
//
// Ids are those of the Hugging Face tokenizers library (and of tiktoken). Nothing is added at
// either end of a text. Deviations: bytes that are no UTF-8 are encoded byte by byte (the reference
// takes no such text). As in the reference, a byte for which the vocabulary has no token is left
// out; SmolLM2 lacks six control characters.
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
#include "dreamgym/llm/tokenizers/added_tokens.h"
#include "dreamgym/llm/tokenizers/pre_tokenizer.h"

namespace dreamgym {

/// What such a tokenizer consists of.
struct PretrainedVocabulary {
  std::vector<std::string> tokens;           ///< [V] bytes of each id; empty where there is none
  std::vector<BpeVocabulary::Merge> merges;  ///< by rank
  std::vector<AddedToken> added;
  PreTokenizer pre_tokenizer = PreTokenizer::kGpt2;
  bool nfc = false;           ///< texts are brought to NFC first, so decode gives that form back
  bool whole_pieces = false;  ///< a piece that is a token is taken whole, whatever the merges say
};

/// Immutable; copies are cheap and share everything.
/// Thread safety: const members are reentrant.
class PretrainedTokenizer final : public Tokenizer {
 public:
  /// @throws Error kInvalidArgument for a merge or added token with an id outside the vocabulary.
  explicit PretrainedTokenizer(PretrainedVocabulary vocabulary);

  /// Special tokens written in the text are ordinary text. Added tokens that are not special (such
  /// as Qwen's <think>) are recognised even so, as the reference does.
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override;
  /// Every added token written in the text becomes its id.
  [[nodiscard]] std::vector<TokenId> encode_with_markers(std::string_view text) const override;
  /// As encode_with_markers(), but special tokens that touch a span of `plain` (ascending) are
  /// ordinary text: what a chat's messages or an environment say can't forge a turn.
  [[nodiscard]] std::vector<TokenId> encode_with_markers(std::string_view text,
                                                         std::span<const TextSpan> plain) const;
  /// @throws Error kInvalidArgument for an id outside the vocabulary.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override;
  /// An added token, special or not.
  [[nodiscard]] std::optional<TokenId> marker(std::string_view name) const override;
  [[nodiscard]] std::size_t vocabulary_size() const override;

  /// Bytes of one token.
  [[nodiscard]] std::string_view text_of(TokenId id) const;
  [[nodiscard]] bool is_special(TokenId id) const;
  [[nodiscard]] const PretrainedVocabulary& vocabulary() const;

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

/// @param json    text of a tokenizer.json whose model is BPE.
/// @param origin  where it came from, for messages.
/// @throws Error kParse naming the entry that is wrong; kUnsupported for a normaliser,
///         pre-tokeniser or model of another kind.
PretrainedVocabulary vocabulary_from_json(std::string_view json, const std::string& origin);

/// @param ranks   a tiktoken file: "base64 rank" a line; the rank is the id.
/// @param layout  JSON with the keys "normalizer", "pre_tokenizer" and "added_tokens" as
///                tokenizer.json has them.
/// @throws Error as vocabulary_from_json.
PretrainedVocabulary vocabulary_from_tiktoken(std::string_view ranks,
                                              std::string_view layout,
                                              const std::string& origin);

/// The text of a tokenizer.json that vocabulary_from_json() and the tokenizers library read as this.
std::string vocabulary_to_json(const PretrainedVocabulary& vocabulary);

PretrainedTokenizer read_pretrained_tokenizer(const Path& tokenizer_json);

}  // namespace dreamgym
