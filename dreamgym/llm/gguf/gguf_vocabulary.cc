// Vocabulary, chat template and end tokens of a GGUF file.
#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "dreamgym/llm/internal/gguf_tokens.h"
#include "dreamgym/llm/internal/vocabulary_builder.h"
#include "dreamgym/llm/internal/vocabulary_layout.h"

namespace dreamgym {
namespace {

/// The cut that "tokenizer.ggml.pre" names. Qwen's files do not say that texts are normalised.
void set_cut(const GgufFile& file, PretrainedVocabulary& vocabulary) {
  const auto& kind = file.get<std::string>("tokenizer.ggml.model");
  const auto* pre = file.find<std::string>("tokenizer.ggml.pre");
  const auto cut = pre == nullptr ? std::nullopt : gguf_cut(*pre);
  if (kind != "gpt2" || !cut) {
    refuse_tokenizer(file.name(),
                     fmt::format("the vocabulary is of kind \"{}\" with the cut \"{}\"",
                                 shorten(kind, 40),
                                 pre == nullptr ? "" : shorten(*pre, 40)));
  }
  vocabulary.pre_tokenizer = *cut;
  vocabulary.nfc = *cut == PreTokenizer::kQwen2;
  vocabulary.whole_pieces = *cut == PreTokenizer::kLlama3;
}

}  // namespace

PretrainedVocabulary gguf_vocabulary(const GgufFile& file) {
  const auto& tokens = file.get<std::vector<std::string>>("tokenizer.ggml.tokens");
  const auto& merges = file.get<std::vector<std::string>>("tokenizer.ggml.merges");
  const auto* types = file.find<std::vector<std::int64_t>>("tokenizer.ggml.token_type");
  if (types != nullptr && types->size() != tokens.size()) {
    fail_tokenizer(file.name(), "has more or fewer token types than tokens");
  }
  VocabularyBuilder builder(file.name());
  std::vector<AddedToken> added;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const auto type =
        types == nullptr ? static_cast<std::int64_t>(GgufTokenType::kNormal) : (*types)[i];
    if (type == static_cast<std::int64_t>(GgufTokenType::kUnused)) {
      continue;
    }
    builder.add_token(id, tokens[i]);
    const bool control = type == static_cast<std::int64_t>(GgufTokenType::kControl);
    if (control || type == static_cast<std::int64_t>(GgufTokenType::kUserDefined)) {
      added.push_back({.id = id, .text = tokens[i], .special = control});
    }
  }
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    builder.add_merge(rank, merges[rank]);
  }
  PretrainedVocabulary vocabulary = builder.finish();
  vocabulary.tokens.resize(tokens.size());
  vocabulary.added = std::move(added);
  set_cut(file, vocabulary);
  return vocabulary;
}

std::optional<std::string> gguf_chat_template(const GgufFile& file) {
  const auto* text = file.find<std::string>("tokenizer.chat_template");
  return text == nullptr ? std::nullopt : std::optional(*text);
}

GenerationConfig gguf_generation_config(const GgufFile& file) {
  const auto token = [&](const char* key) -> std::optional<TokenId> {
    const auto* id = file.find<std::int64_t>(key);
    return id == nullptr ? std::nullopt : std::optional(static_cast<TokenId>(*id));
  };
  GenerationConfig config;
  config.begin_token = token("tokenizer.ggml.bos_token_id");
  config.pad_token = token("tokenizer.ggml.padding_token_id");
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    if (const auto id = token(key)) {
      config.end_tokens.push_back(*id);
    }
  }
  return config;
}

}  // namespace dreamgym
