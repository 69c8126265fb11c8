// The parameters of a transformer as named fp32 arrays, without a tensor library.
//
// Names are Hugging Face's: "model.embed_tokens.weight" [V, D], per layer l under
// "model.layers.<l>.": "input_layernorm.weight" [D], "self_attn.{q,k,v,o}_proj.weight" [out, in],
// "post_attention_layernorm.weight" [D], "mlp.{gate,up,down}_proj.weight" [out, in]; then
// "model.norm.weight" [D] and, if untied, "lm_head.weight" [V, D]. Qwen2 adds
// "self_attn.{q,k,v}_proj.bias" [out], Qwen3 "self_attn.{q,k}_norm.weight" [head_dim], the nano
// family "attention_convolution.weight" and "mlp_convolution.weight" [taps, D] (tap taps-1 is the
// present).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/safetensors.h"
#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

struct TransformerWeights {
  TransformerConfig config;
  std::map<std::string, WeightArray> arrays;
  std::string version;  ///< names them, e.g. "nano@1f3c/step-12"
};

/// Name -> shape of every parameter of a config, in map order.
std::map<std::string, std::vector<std::int64_t>> parameter_shapes(const TransformerConfig& config);

/// Sum of their sizes.
std::int64_t num_parameters(const TransformerConfig& config);

/// Whether an array is a constant or copy that older checkpoints store though nobody needs it.
bool is_redundant_array(const std::string& name, const TransformerConfig& config);

/// Freshly drawn weights: embeddings N(0, 0.02), linear N(0, 1/sqrt(in)), those that write into the
/// residual stream scaled by 1/sqrt(2 * layers), norms 1, biases and convolutions 0.
TransformerWeights initial_weights(const TransformerConfig& config, std::uint64_t seed);

/// Reads config.json and model.safetensors or its shards (fp32, fp16 or bf16) of a folder.
/// @throws Error kNotFound, kParse, kCorrupt or kUnsupported, naming file and array.
TransformerWeights load_weights(const std::string& folder);

inline constexpr std::size_t kMaxShardBytes = 5'000'000'000;

/// Writes config.json and model.safetensors (above max_shard_bytes in shards with an index), each
/// file atomically. @throws Error kIo.
void save_weights(const TransformerWeights& weights,
                  const std::string& folder,
                  NumberType type,
                  std::size_t max_shard_bytes = kMaxShardBytes);

}  // namespace dreamgym
