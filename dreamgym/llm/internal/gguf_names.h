// How GGUF names and orders what Hugging Face names and orders otherwise.
// Pure. Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

/// "model.layers.3.mlp.up_proj.weight" -> "blk.3.ffn_up.weight"; nothing if GGUF has no such name.
std::optional<std::string> gguf_name(const std::string& name);
/// Number of heads whose rows lie in another order in the architecture "llama"; 0 for arrays that
/// are as they are.
std::int64_t num_permuted_heads(const std::string& name, const TransformerConfig& config);

/// Rows of each head from Hugging Face's order (all first halves of the rotated pairs, then all
/// second ones) to GGUF's (pair after pair), and back.
std::vector<float> pairs_together(const std::vector<float>& rows,
                                  std::int64_t num_heads,
                                  std::int64_t head_dim);
std::vector<float> halves_together(const std::vector<float>& rows,
                                   std::int64_t num_heads,
                                   std::int64_t head_dim);

}  // namespace dreamgym
