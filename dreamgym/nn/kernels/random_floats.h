// Normal numbers for the kernels' tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dreamgym/base/rng.h"
#include "dreamgym/nn/kernels/aligned_floats.h"

namespace dreamgym {

inline AlignedFloats random_floats(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  AlignedFloats floats(count);
  for (float& value : floats) {
    value = static_cast<float>(rng.normal());
  }
  return floats;
}

}  // namespace dreamgym
