// The numbers a training pass multiplies.
#pragma once

#include <cstdint>
#include <string_view>

namespace dreamgym {

/// Sums, weights, gradients and all that is not a product with a weight are fp32 in either.
enum class ComputeType : std::uint8_t {
  kFloat32,
  kBFloat16,  ///< the factors of a product with a weight are rounded to bfloat16
};

/// Whether this machine has the instructions: for bfloat16 AVX-512 BF16, and AMX is used beside it.
bool can_compute(ComputeType type);

/// "fp32" or "bf16".
/// @throws Error kInvalidArgument for another name, kUnsupported where the machine can't.
ComputeType compute_type_named(std::string_view name);

}  // namespace dreamgym
