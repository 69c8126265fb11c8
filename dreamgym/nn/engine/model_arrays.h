// What every backend needs of weights before it arranges them its own way.
//
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/kernels/aligned_floats.h"

namespace dreamgym::engine {

/// @throws Error kUnsupported for a shape that the engine can't run.
void check_supported(const TransformerConfig& config);

/// A weight of rows * columns values. @throws Error kInvalidArgument that names one that is missing or of
/// another size.
std::span<const float> array_of(const TransformerWeights& weights,
                                const std::string& name,
                                std::size_t rows,
                                std::size_t columns);

/// Of the angles by which pairs of a head turn.
struct Rotations {
  AlignedFloats cosines;  ///< [max_position, head_dim / 2]
  AlignedFloats sines;    ///< the same
};
Rotations rotations_of(const TransformerConfig& config);

}  // namespace dreamgym::engine
