// The weights of a transformer in the layout the kernels read.
//
// Packed once per version of the weights; immutable afterwards.
// Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <vector>

#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/engine/model_arrays.h"
#include "dreamgym/nn/engine/packed_adapter.h"
#include "dreamgym/nn/engine/packed_matrix.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

/// What precedes attention or the MLP: norm and short convolution.
struct PackedInput {
  AlignedFloats norm;         ///< [hidden_stride]
  AlignedFloats convolution;  ///< [taps, hidden_stride]; empty without one
};

struct PackedLayer {
  PackedInput attention_input;
  PackedMatrix query_key_value;  ///< columns: query heads, key heads, value heads
  AlignedFloats bias;            ///< [query_key_value.columns()]; empty without biases
  AlignedFloats query_norm;      ///< [head_dim]; empty without normalised heads
  AlignedFloats key_norm;        ///< the same
  PackedMatrix attention_out;
  PackedInput mlp_input;
  PackedMatrix gate_up;  ///< each panel: half gate columns, half up columns
  PackedMatrix down;
};

struct PackedTransformer {
  TransformerConfig config;
  std::size_t hidden_stride = 0;  ///< floats of a hidden row, padding included
  AlignedFloats embeddings;       ///< [vocab_size, hidden_stride]
  AlignedFloats head_rows;        ///< the same for an untied head; empty if tied
  PackedMatrix head;
  AlignedFloats final_norm;  ///< [hidden_stride]
  std::vector<PackedLayer> layers;
  PackedAdapter adapter;  ///< computed beside the layers' matrices; of no layer without one
  Rotations rotations;

  /// The row of the head that gives a token's logit.
  [[nodiscard]] const float* head_row(std::size_t token) const {
    const AlignedFloats& rows = head_rows.empty() ? embeddings : head_rows;
    return rows.data() + token * hidden_stride;
  }
};

/// @throws Error kUnsupported for a shape the kernels can't compute, kInvalidArgument for arrays
/// that are missing or of another shape than the config says.
/// @param format  of the matrices; norms, biases and embeddings stay fp32. In int8
/// every kScaleGroup neighbours of a row have their own scale, their largest magnitude / 127.
PackedTransformer pack_transformer(const TransformerWeights& weights,
                                   NumberFormat format = NumberFormat::kFloat32);

}  // namespace dreamgym::engine
