// Drawing one token from logits, with the log-probability it was drawn with.
//
// Thread safety: none; one per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

struct SampledIndex {
  std::size_t index = 0;
  float logprob = 0;
};

struct SamplingRule {
  double temperature = 1.0;  ///< 0: the largest logit, the first of equals
  SamplingFilter filter{};
  std::span<const TokenId> seen{};  ///< for the repetition penalty
  /// Bit i: index i may be drawn (TokenGrammar::allowed). Empty = any; an index past it may not.
  std::span<const std::uint64_t> allowed{};
};

/// The index a filter lets be drawn, written plainly: sorts what is left of the vocabulary.
std::size_t sample_filtered(std::span<const float> logits, const SamplingRule& rule, Rng& stream);

class TokenSampler {
 public:
  explicit TokenSampler(const Kernels& kernels) : kernels_(kernels) {}

  /// Draws an index with probability softmax(logits / temperature), narrowed and tilted by the
  /// filter and the allowed ones. Its log-probability is that of the softmax over all logits as they are, at temperature
  /// 1 where the rule's is 0.
  /// @param logits  not empty.
  /// @throws Error  kDiverged if the logits are not finite, or those of all allowed ones -infinity.
  SampledIndex sample(std::span<const float> logits, const SamplingRule& rule, Rng& stream);
  /// log softmax(logits)[index]. @throws Error kDiverged as above.
  float logprob(std::span<const float> logits, std::size_t index);

 private:
  SoftmaxSums weigh(std::span<const float> logits, float inverse_temperature);
  [[nodiscard]] std::size_t choose(std::span<const float> logits,
                                   const SamplingRule& rule,
                                   const SoftmaxSums& sums,
                                   Rng& stream) const;
  std::size_t choose_allowed(std::span<const float> logits, const SamplingRule& rule, Rng& stream);
  [[nodiscard]] std::size_t draw(double target, std::size_t size) const;

  const Kernels& kernels_;
  AlignedFloats logits_;      // a copy padded with -infinity
  AlignedFloats weights_;     // exp of the scaled logits
  AlignedFloats block_sums_;  // per kSumLanes weights
  AlignedFloats masked_;      // logits, -infinity where not allowed
};

}  // namespace dreamgym::engine
