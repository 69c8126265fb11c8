// Shape of a decoder-only transformer, as config.json says it.
//
// Covers Llama, Qwen2, Qwen3 and our own nano family: RMSNorm, RoPE, grouped-query attention,
// SwiGLU, tied or untied head; Qwen2 adds biases to queries, keys and values, Qwen3 normalises each
// query and key head; the nano family adds a short causal depthwise convolution before attention
// and MLP.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dreamgym {

/// How rotary frequencies are stretched for contexts longer than the model was first trained on.
struct RopeScaling {
  enum class Kind {
    kNone,
    kLinear,  ///< every frequency divided by the factor
    kLlama3,  ///< long waves divided by the factor, short ones kept, a blend between
  };
  Kind kind = Kind::kNone;
  double factor = 1.0;
  double low_frequency_factor = 1.0;
  double high_frequency_factor = 4.0;
  std::int64_t original_max_position = 8192;  ///< tokens
  bool operator==(const RopeScaling&) const = default;
};

struct TransformerConfig {
  std::string family = "dreamgym_nano";  ///< model_type of config.json
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 128;
  std::int64_t num_layers = 5;
  std::int64_t num_heads = 4;
  std::int64_t num_kv_heads = 2;
  std::int64_t head_dim = 32;
  std::int64_t intermediate_size = 384;
  std::int64_t max_position = 2048;  ///< tokens
  double rope_theta = 10000.0;
  RopeScaling rope_scaling;
  double rms_norm_epsilon = 1e-5;
  bool tied_embeddings = true;
  bool qkv_bias = false;  ///< biases of the query, key and value projections
  bool qk_norm = false;   ///< RMSNorm of each query and key head before the rotation
  /// Taps of the causal depthwise convolution on the normalised input of attention and of the MLP;
  /// out[t] = z[t] + sum_i w[i] * z[t - (taps - 1) + i]; 0 = none. Zero-initialised.
  std::int64_t convolution_taps = 4;
  /// Keys of config.json that change nothing we compute: a JSON object, written back as it was.
  std::string other_keys = "{}";
  bool operator==(const TransformerConfig&) const = default;
};

/// [head_dim / 2] angle in radians by which pair i turns from one position to the next.
/// Source: the rotary embedding functions "default", "linear" and "llama3" of transformers.
std::vector<double> rope_frequencies(const TransformerConfig& config);

/// Presets by name: "nano-s" (0.4M), "nano" (1.1M, the default), "nano-l" (3M). vocab_size is left
/// 0.
/// @throws Error kNotFound naming the known ones.
TransformerConfig transformer_preset(const std::string& name);

}  // namespace dreamgym
