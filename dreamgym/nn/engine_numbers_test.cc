#include "dreamgym/nn/engine_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {
namespace {

TransformerConfig config_of(bool tied) {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = 60;
  config.hidden_size = 40;  // a group of 32 depths and a shorter one
  config.intermediate_size = 72;
  config.tied_embeddings = tied;
  return config;
}

TransformerWeights rounded(TransformerWeights weights, const char* numbers) {
  round_to_engine_numbers(weights, numbers);
  return weights;
}

LoraAdapter learnt_adapter(const TransformerConfig& config) {
  LoraAdapter settings;
  settings.rank = 4;
  settings.alpha = 8;
  settings.target_modules = {"q_proj", "gate_proj", "down_proj"};
  LoraAdapter adapter = initial_lora(config, std::move(settings), 1);
  Rng rng(2);
  for (auto& [name, pair] : adapter.pairs) {
    for (float& value : pair.b.values) {
      value = static_cast<float>(0.05 * rng.normal());
    }
  }
  return adapter;
}

TEST(EngineNumbers, AreRoundedOnceAndForAll) {
  for (const bool tied : {true, false}) {
    const TransformerWeights weights = initial_weights(config_of(tied), 3);
    EXPECT_EQ(rounded(weights, "fp32").arrays, weights.arrays);
    for (const char* numbers : {"bf16", "int8"}) {
      const TransformerWeights once = rounded(weights, numbers);
      EXPECT_EQ(rounded(once, numbers).arrays, once.arrays) << numbers;
      const auto changed = [&](const char* name) {
        return once.arrays.at(name).values != weights.arrays.at(name).values;
      };
      EXPECT_TRUE(changed("model.layers.0.self_attn.o_proj.weight"));
      EXPECT_FALSE(changed("model.layers.0.input_layernorm.weight"));
      EXPECT_EQ(changed("model.embed_tokens.weight"), tied) << "the head is what the engine packs";
    }
  }
  EXPECT_THROW((void)rounded(initial_weights(config_of(true), 3), "fp8"), Error);
}

// All of the engine's numbers, the embeddings and the rows that choices read included.
TEST(EngineNumbers, AreWhatTheEngineComputesWith) {
  const TransformerWeights weights = initial_weights(config_of(true), 3);
  std::vector<TokenId> tokens(30);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<TokenId>(7 * i % 60);
  }
  for (const char* numbers : {"bf16", "int8"}) {
    const TransformerWeights frozen = rounded(weights, numbers);
    const auto wide = GenerationEngine(frozen, nullptr, {.kernels = "plain"}).score(tokens);
    const auto narrow =
        GenerationEngine(frozen, nullptr, {.weights = numbers, .kernels = "plain"}).score(tokens);
    for (std::size_t i = 0; i < wide.logprobs.size(); ++i) {
      // Activations meet int8 weights with 16 of their bits.
      const double tolerance = std::string(numbers) == "int8" ? 5e-5 : 1e-6;
      EXPECT_NEAR(narrow.logprobs[i], wide.logprobs[i], tolerance) << numbers;
    }
  }
}

// Merged and rounded again, an adapter smaller than half a step is lost; taken out first, it is not.
TEST(EngineNumbers, AreFoundAgainUnderAMergedAdapter) {
  const TransformerWeights weights = initial_weights(config_of(true), 3);
  const LoraAdapter adapter = learnt_adapter(weights.config);
  for (const char* numbers : {"bf16", "int8"}) {
    const TransformerWeights frozen = rounded(weights, numbers);
    TransformerWeights merged = frozen;
    merge_lora(adapter, merged);
    EXPECT_NE(rounded(merged, numbers).arrays, merged.arrays);
    unmerge_to_engine_numbers(merged, adapter, numbers);
    EXPECT_EQ(merged.arrays, frozen.arrays) << numbers;
  }
}

TEST(EngineNumbers, OfAnotherAdaptersWeightsAreRefused) {
  TransformerWeights merged = rounded(initial_weights(config_of(true), 3), "int8");
  const LoraAdapter adapter = learnt_adapter(merged.config);
  EXPECT_THROW(unmerge_to_engine_numbers(merged, adapter, "int8"), Error);
}

}  // namespace
}  // namespace dreamgym
