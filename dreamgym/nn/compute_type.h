// The numbers a training pass multiplies.
#pragma once

#include <cstdint>

namespace dreamgym {

/// Sums, weights, gradients and all that is not a product with a weight are fp32 in either.
enum class ComputeType : std::uint8_t {
  kFloat32,
  kBFloat16,  ///< the factors of a product with a weight are rounded to bfloat16
};

/// Whether this machine multiplies bfloat16 (AVX-512 BF16 or AMX). fp32 it always does.
bool can_compute(ComputeType type);

}  // namespace dreamgym
