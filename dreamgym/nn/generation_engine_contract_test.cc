// The generation engine keeps the promise of LanguageModel.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/nn/generation_engine.h"
#include "tests/contract/language_model_contract.h"

namespace dreamgym {
namespace {

constexpr std::size_t kVocabulary = 50;

// Ids are all the contract needs: a letter each.
class LetterTokenizer final : public Tokenizer {
 public:
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const char letter : text) {
      ids.push_back(letter - 'A');
    }
    return ids;
  }
  [[nodiscard]] std::vector<TokenId> encode_with_markers(std::string_view text) const override {
    return encode(text);
  }
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) {
      text += static_cast<char>('A' + id);
    }
    return text;
  }
  [[nodiscard]] std::optional<TokenId> marker(std::string_view) const override { return {}; }
  [[nodiscard]] std::size_t vocabulary_size() const override { return kVocabulary; }
};

std::unique_ptr<LanguageModel> small_engine(const char* format) {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = kVocabulary;
  config.max_position = 64;
  TransformerWeights weights = initial_weights(config, 1);
  weights.version = "contract";
  EngineConfig engine;
  engine.num_threads = 2;
  engine.prefill_chunk_tokens = 5;
  engine.weights = format;
  engine.cache = format;
  return std::make_unique<GenerationEngine>(
      weights, std::make_shared<const LetterTokenizer>(), engine);
}

LanguageModelContract engine_contract(const char* format) {
  LanguageModelContract contract;
  contract.make = [format] { return small_engine(format); };
  contract.logprob_tolerance = 0;  // bit for bit
  return contract;
}

DREAMGYM_LANGUAGE_MODEL_CONTRACT(GenerationEngineContract, engine_contract("fp32"))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(NarrowGenerationEngineContract, engine_contract("bf16"))

}  // namespace
}  // namespace dreamgym
