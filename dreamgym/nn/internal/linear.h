// A product with a weight, its bias and its low-rank additions, forward and backward.
//
//   y = x W^T + bias + scale * (x A^T) B^T
//
// Thread safety: none on one LowRankScratch.
#pragma once

#include <span>

#include "dreamgym/nn/compute_type.h"
#include "dreamgym/nn/internal/adapter_layout.h"
#include "dreamgym/nn/internal/float_buffer.h"

namespace dreamgym::internal {

/// The trained arrays: all weights, or those of an adapter on frozen weights; and in which numbers
/// they are multiplied.
struct NetworkWeights {
  const float* base = nullptr;             ///< [layout.count]
  const AdapterLayout* adapter = nullptr;  ///< null: none
  const float* low_rank = nullptr;         ///< [adapter->flat.count]
  ComputeType compute = ComputeType::kFloat32;
};

/// Where gradients of a part of the parameters are added; null: not wanted.
struct NetworkGradients {
  float* base = nullptr;
  std::size_t begin = 0;      ///< offset in the flat array of what `base` points at
  float* low_rank = nullptr;  ///< all of the adapter's

  [[nodiscard]] float* at(std::size_t offset) const { return base + (offset - begin); }
};

/// Buffers that keep their memory between calls.
struct LowRankScratch {
  FloatBuffer inner, d_inner;  ///< [rows, rank]
  [[nodiscard]] std::size_t bytes() const { return inner.capacity_bytes() + d_inner.capacity_bytes(); }
};

/// A weight [out, in] in the flat array.
struct LinearShape {
  std::size_t out = 0;
  std::size_t in = 0;
  std::size_t weight = 0;                 ///< offset
  std::span<const LowRankTerm> terms{};   ///< empty without an adapter
};

class Linear {
 public:
  /// Borrows everything for its lifetime.
  Linear(const NetworkWeights& weights, LowRankScratch& scratch)
      : weights_(weights), scratch_(scratch) {}

  /// y [rows, out] = x [rows, in] W^T and the terms, or added to y.
  void forward(const LinearShape& shape, std::size_t rows, const float* x, float* y) const;
  void forward_add(const LinearShape& shape, std::size_t rows, const float* x, float* y) const;
  /// d_x [rows, in] from d_y [rows, out], written.
  void backward_input(const LinearShape& shape, std::size_t rows, const float* d_y, float* d_x) const;
  /// Adds to the gradients of W and of the terms' A and B.
  void backward_weight(const LinearShape& shape,
                       std::size_t rows,
                       const float* x,
                       const float* d_y,
                       const NetworkGradients& gradients) const;

 private:
  void add_terms(const LinearShape& shape, std::size_t rows, const float* x, float* y) const;
  /// scale * x A^T
  const float* inner(const LowRankTerm& term, std::size_t rows, const float* x) const;
  /// scale * d_y B
  const float* d_inner(const LinearShape& shape,
                       const LowRankTerm& term,
                       std::size_t rows,
                       const float* d_y) const;

  NetworkWeights weights_;
  LowRankScratch& scratch_;
};

/// rows [count, width] += bias [width]
void add_bias(std::size_t count, std::size_t width, const float* bias, float* rows);
/// d_bias [width] += sum over the rows
void add_row_sum(std::size_t count, std::size_t width, const float* rows, float* d_bias);

}  // namespace dreamgym::internal
