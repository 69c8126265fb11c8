// What tests of the generation engine run it on: shapes of each family, adapters that have learnt
// something, drawn tokens.
//
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/transformer_config.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym::internal {

inline constexpr TokenId kCaseVocabulary = 90;

struct ModelFamily {
  const char* name;
  bool tied;
  bool qkv_bias;
  bool qk_norm;
  std::int64_t taps;
};

/// Three layers; few sizes are multiples of a panel's width, so that padding is at work.
inline TransformerConfig config_of(const ModelFamily& family) {
  TransformerConfig config;
  config.vocab_size = kCaseVocabulary;
  config.hidden_size = 48;
  config.num_layers = 3;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 16;
  config.intermediate_size = 72;
  config.max_position = 160;
  config.convolution_taps = family.taps;
  config.tied_embeddings = family.tied;
  config.qkv_bias = family.qkv_bias;
  config.qk_norm = family.qk_norm;
  return config;
}

/// The weights of the head.
inline const char* head_of(const ModelFamily& family) {
  return family.tied ? "model.embed_tokens.weight" : "lm_head.weight";
}

/// An adapter that has learnt something. @param size  of the numbers of its second factors.
inline LoraAdapter learnt_adapter(const TransformerConfig& config,
                                  std::int64_t rank,
                                  const std::vector<std::string>& targets,
                                  double size) {
  LoraAdapter settings;
  settings.rank = rank;
  settings.alpha = 6;
  settings.target_modules = targets;
  LoraAdapter adapter = initial_lora(config, std::move(settings), 11);
  Rng rng(12);
  for (auto& [name, pair] : adapter.pairs) {
    for (float& value : pair.b.values) {
      value = static_cast<float>(size * rng.normal());
    }
  }
  return adapter;
}

inline std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(kCaseVocabulary));
  }
  return tokens;
}

}  // namespace dreamgym::internal
