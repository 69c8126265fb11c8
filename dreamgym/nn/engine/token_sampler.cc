#include "dreamgym/nn/engine/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/error.h"

namespace dreamgym::engine {

// Sums of the softmax; leaves the weights and their block sums.
SoftmaxSums TokenSampler::weigh(std::span<const float> logits, float inverse_temperature) {
  const std::size_t size = round_up(logits.size(), kSumLanes);
  logits_.assign(size, -std::numeric_limits<float>::infinity());
  std::ranges::copy(logits, logits_.begin());
  weights_.resize(size);
  block_sums_.resize(size / kSumLanes);
  const SoftmaxSums sums = kernels_.softmax(
      logits_.data(), size, inverse_temperature, weights_.data(), block_sums_.data());
  if (!std::isfinite(sums.maximum) || !std::isfinite(sums.total) || !(sums.total > 0)) {
    throw Error(ErrorKind::kDiverged,
                "the model's logits are not finite",
                "its weights have diverged; go back to an earlier checkpoint");
  }
  return sums;
}

SampledIndex TokenSampler::sample(std::span<const float> logits,
                                  const SamplingRule& rule,
                                  Rng& stream) {
  const auto inverse = static_cast<float>(rule.temperature > 0 ? 1.0 / rule.temperature : 1.0);
  const SoftmaxSums sums = weigh(logits, inverse);
  SampledIndex sampled;
  sampled.index = rule.allowed.empty() ? choose(logits, rule, sums, stream)
                                       : choose_allowed(logits, rule, stream);
  const double scaled = static_cast<double>(logits[sampled.index] - sums.maximum) * inverse;
  sampled.logprob = static_cast<float>(scaled - std::log(sums.total));
  return sampled;
}

float TokenSampler::logprob(std::span<const float> logits, std::size_t index) {
  const SoftmaxSums sums = weigh(logits, 1.0F);
  return static_cast<float>(static_cast<double>(logits[index] - sums.maximum) -
                            std::log(sums.total));
}

std::size_t TokenSampler::choose(std::span<const float> logits,
                                 const SamplingRule& rule,
                                 const SoftmaxSums& sums,
                                 Rng& stream) const {
  if (rule.filter.active()) {
    return sample_filtered(logits, rule, stream);
  }
  if (rule.temperature > 0) {
    return draw(stream.uniform() * sums.total, logits.size());
  }
  return static_cast<std::size_t>(std::ranges::find(logits, sums.maximum) - logits.begin());
}

// As if the logits of what is not allowed were minus infinity.
std::size_t TokenSampler::choose_allowed(std::span<const float> logits,
                                         const SamplingRule& rule,
                                         Rng& stream) {
  constexpr std::size_t kWordBits = 64;
  masked_.assign(logits.size(), -std::numeric_limits<float>::infinity());
  const std::size_t known = std::min(logits.size(), rule.allowed.size() * kWordBits);
  for (std::size_t i = 0; i < known; ++i) {
    if ((rule.allowed[i / kWordBits] >> (i % kWordBits) & 1U) != 0) {
      masked_[i] = logits[i];
    }
  }
  const auto inverse = static_cast<float>(rule.temperature > 0 ? 1.0 / rule.temperature : 1.0);
  const std::span<const float> masked(masked_.data(), masked_.size());
  return choose(masked, rule, weigh(masked, inverse), stream);
}

// The index at which the running sum of the weights passes the target: first the block, then the
// weight inside it.
std::size_t TokenSampler::draw(double target, std::size_t size) const {
  std::size_t block = 0;
  double sum = 0;
  while (block + 1 < block_sums_.size() &&
         sum + static_cast<double>(block_sums_[block]) <= target) {
    sum += static_cast<double>(block_sums_[block++]);
  }
  while (block > 0 && !(block_sums_[block] > 0)) {
    --block;  // the target was rounded up to the total
  }
  const std::size_t begin = block * kSumLanes;
  std::size_t last = begin;
  for (std::size_t i = begin; i < std::min(begin + kSumLanes, size); ++i) {
    if (weights_[i] <= 0) {
      continue;
    }
    last = i;
    sum += static_cast<double>(weights_[i]);
    if (sum > target) {
      break;
    }
  }
  return last;
}

}  // namespace dreamgym::engine
