// Drawing one token from logits, with the log-probability it was drawn with.
//
// Thread safety: none; one per thread.
#pragma once

#include <cstddef>
#include <span>

#include "dreamgym/base/rng.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

struct SampledIndex {
  std::size_t index = 0;
  float logprob = 0;
};

class TokenSampler {
 public:
  explicit TokenSampler(const Kernels& kernels) : kernels_(kernels) {}

  /// Draws an index with probability softmax(logits / temperature); with temperature 0 the largest
  /// logit (the first of equals), whose log-probability is at temperature 1.
  /// @param logits  not empty.
  /// @throws Error  kDiverged if the logits are not finite.
  SampledIndex sample(std::span<const float> logits, double temperature, Rng& stream);

 private:
  [[nodiscard]] std::size_t draw(double target, std::size_t size) const;

  const Kernels& kernels_;
  AlignedFloats logits_;      // a copy padded with -infinity
  AlignedFloats weights_;     // exp of the scaled logits
  AlignedFloats block_sums_;  // per kSumLanes weights
};

}  // namespace dreamgym::engine
