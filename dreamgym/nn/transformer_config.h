// Shape of a decoder-only transformer, as config.json says it.
//
// Covers Llama, Qwen and our own nano family: RMSNorm, RoPE, grouped-query attention, SwiGLU, tied
// or untied head; the nano family adds a short causal depthwise convolution before attention and
// MLP.
#pragma once

#include <cstdint>
#include <string>

namespace dreamgym {

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
  double rms_norm_epsilon = 1e-5;
  bool tied_embeddings = true;
  /// Taps of the causal depthwise convolution on the normalised input of attention and of the MLP;
  /// out[t] = z[t] + sum_i w[i] * z[t - (taps - 1) + i]; 0 = none. Zero-initialised.
  std::int64_t convolution_taps = 4;
  bool operator==(const TransformerConfig&) const = default;
};

/// Presets by name: "nano-s" (0.4M), "nano" (1.1M, the default), "nano-l" (3M). vocab_size is left
/// 0.
/// @throws Error kNotFound naming the known ones.
TransformerConfig transformer_preset(const std::string& name);

}  // namespace dreamgym
