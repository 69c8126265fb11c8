// The generation engine keeps the promise of LanguageModel.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

std::unique_ptr<LanguageModel> small_engine(const char* format, const char* device) {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = kVocabulary;
  config.max_position = 64;
  TransformerWeights weights = initial_weights(config, 1);
  weights.version = "contract";
  EngineConfig engine;
  // Threads of libtorch spin while they wait, which a busy machine makes slow.
  engine.num_threads = std::string_view(device).empty() ? 2 : 1;
  engine.prefill_chunk_tokens = 5;
  engine.weights = format;
  engine.cache = format;
  engine.device = device;
  return std::make_unique<GenerationEngine>(
      weights, std::make_shared<const LetterTokenizer>(), engine);
}

// On our kernels bit for bit.
LanguageModelContract engine_contract(const char* format, const char* device = "", double tolerance = 0) {
  LanguageModelContract contract;
  contract.make = [=] { return small_engine(format, device); };
  contract.logprob_tolerance = tolerance;
  return contract;
}

DREAMGYM_LANGUAGE_MODEL_CONTRACT(GenerationEngineContract, engine_contract("fp32"))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(NarrowGenerationEngineContract, engine_contract("bf16"))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(TorchGenerationEngineContract, engine_contract("fp32", "torch:cpu", 1e-4))

}  // namespace
}  // namespace dreamgym
