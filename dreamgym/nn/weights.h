// The parameters of a transformer as named fp32 arrays, without a tensor library.
//
// Names are Hugging Face's: "model.embed_tokens.weight" [V, D], per layer l under
// "model.layers.<l>.": "input_layernorm.weight" [D], "self_attn.{q,k,v,o}_proj.weight" [out, in],
// "post_attention_layernorm.weight" [D], "mlp.{gate,up,down}_proj.weight" [out, in]; then
// "model.norm.weight" [D] and, if untied, "lm_head.weight" [V, D]. The nano family adds
// "attention_convolution.weight" and "mlp_convolution.weight" [taps, D] (tap taps-1 is the
// present).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/nn/transformer_config.h"

namespace dreamgym {

struct WeightArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< row-major
  bool operator==(const WeightArray&) const = default;
};

struct TransformerWeights {
  TransformerConfig config;
  std::map<std::string, WeightArray> arrays;
  std::string version;  ///< names them, e.g. "nano@1f3c/step-12"
};

/// Name -> shape of every parameter of a config, in map order.
std::map<std::string, std::vector<std::int64_t>> parameter_shapes(const TransformerConfig& config);

/// Sum of their sizes.
std::int64_t num_parameters(const TransformerConfig& config);

/// Freshly drawn weights: embeddings N(0, 0.02), linear N(0, 1/sqrt(in)), those that write into the
/// residual stream scaled by 1/sqrt(2 * layers), norms 1, convolutions 0.
TransformerWeights initial_weights(const TransformerConfig& config, std::uint64_t seed);

/// Reads config.json and model.safetensors (fp32, fp16 or bf16) of a folder.
/// @throws Error kNotFound, kParse, kCorrupt or kUnsupported.
TransformerWeights load_weights(const std::string& folder);

enum class WeightType { kFloat32, kBFloat16 };

/// Writes config.json and model.safetensors, each atomically. @throws Error kIo.
void save_weights(const TransformerWeights& weights, const std::string& folder, WeightType type);

}  // namespace dreamgym
