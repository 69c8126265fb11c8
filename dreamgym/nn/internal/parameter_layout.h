// Where each parameter lies in one flat array, so that products that share an input are one.
//
// Query, key and value projections of a layer are neighbours, and so are gate and up.
// Pure. Thread safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym::internal {

enum class ParameterKind { kEmbedding, kMatrix, kNorm, kConvolution, kBias };

struct Parameter {
  std::string name;  ///< Hugging Face's
  std::size_t offset = 0;
  std::size_t rows = 0;  ///< 1 for a vector
  std::size_t columns = 0;
  ParameterKind kind = ParameterKind::kMatrix;

  [[nodiscard]] std::size_t count() const { return rows * columns; }
};

/// Offsets of a layer's blocks.
struct LayerOffsets {
  std::size_t attention_gain = 0;
  std::size_t attention_taps = 0;
  std::size_t query_key_value = 0;       ///< [query + 2 kv, hidden]
  std::size_t query_key_value_bias = 0;  ///< [query + 2 kv]; only with config.qkv_bias
  std::size_t query_gain = 0;            ///< [head_dim]; only with config.qk_norm
  std::size_t key_gain = 0;              ///< the same
  std::size_t attention_out = 0;
  std::size_t mlp_gain = 0;
  std::size_t mlp_taps = 0;
  std::size_t gate_up = 0;  ///< [2 intermediate, hidden]
  std::size_t down = 0;
};

struct ParameterLayout {
  std::vector<Parameter> parameters;
  std::vector<LayerOffsets> layers;
  std::size_t embedding = 0;
  std::size_t final_gain = 0;
  std::size_t head = 0;   ///< = embedding if tied
  std::size_t count = 0;  ///< floats in all
};

ParameterLayout parameter_layout(const TransformerConfig& config);

/// @param flat  [layout.count]
/// @throws Error kInvalidArgument if an array is missing or of another shape.
void copy_in(const ParameterLayout& layout, const TransformerWeights& weights, float* flat);
void copy_out(const ParameterLayout& layout, const float* flat, TransformerWeights& weights);

}  // namespace dreamgym::internal
