// RMSNorm of each query and key head by itself (Qwen3), forward and backward.
//
// Thread safety: none on one HeadNormScratch.
#pragma once

#include "dreamgym/nn/internal/attention.h"
#include "dreamgym/nn/internal/float_buffer.h"

namespace dreamgym::internal {

struct HeadNorm {
  AttentionShape shape;
  float epsilon = 0;
  const float* query_gain = nullptr;  ///< [head_dim]
  const float* key_gain = nullptr;    ///< [head_dim]
};

/// Buffers that keep their memory between calls.
struct HeadNormScratch {
  FloatBuffer z, d_z;  ///< [heads + 1, head_dim]
  FloatBuffer d_heads;  ///< [heads, head_dim]
  [[nodiscard]] std::size_t bytes() const {
    return z.capacity_bytes() + d_z.capacity_bytes() + d_heads.capacity_bytes();
  }
};

/// Queries and keys of `rows` [num_rows, row_width] normalised in place.
/// @param before       [num_rows, heads + kv heads, head_dim], written: as they were.
/// @param inverse_rms  [num_rows, heads + kv heads], written.
void normalize_heads(const HeadNorm& norm,
                     std::size_t num_rows,
                     float* rows,
                     float* before,
                     float* inverse_rms,
                     HeadNormScratch& scratch);

struct HeadNormBackward {
  const float* before = nullptr;       ///< as normalize_heads left them
  const float* inverse_rms = nullptr;  ///< the same
  float* d_rows = nullptr;        ///< [num_rows, row_width]; in: of the normalised heads
  float* d_query_gain = nullptr;  ///< [head_dim], added to
  float* d_key_gain = nullptr;    ///< [head_dim], added to
};

void normalize_heads_backward(const HeadNorm& norm,
                              std::size_t num_rows,
                              const HeadNormBackward& io,
                              HeadNormScratch& scratch);

}  // namespace dreamgym::internal
