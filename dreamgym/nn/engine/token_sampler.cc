#include "dreamgym/nn/engine/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/error.h"

namespace dreamgym::engine {

SampledIndex TokenSampler::sample(std::span<const float> logits, double temperature, Rng& stream) {
  const std::size_t size = round_up(logits.size(), kSumLanes);
  logits_.assign(size, -std::numeric_limits<float>::infinity());
  std::ranges::copy(logits, logits_.begin());
  weights_.resize(size);
  block_sums_.resize(size / kSumLanes);
  const auto inverse = static_cast<float>(temperature > 0 ? 1.0 / temperature : 1.0);
  const SoftmaxSums sums =
      kernels_.softmax(logits_.data(), size, inverse, weights_.data(), block_sums_.data());
  if (!std::isfinite(sums.maximum) || !std::isfinite(sums.total) || !(sums.total > 0)) {
    throw Error(ErrorKind::kDiverged,
                "the model's logits are not finite",
                "its weights have diverged; go back to an earlier checkpoint");
  }
  SampledIndex sampled;
  if (temperature > 0) {
    sampled.index = draw(stream.uniform() * sums.total, logits.size());
  } else {
    sampled.index =
        static_cast<std::size_t>(std::ranges::find(logits, sums.maximum) - logits.begin());
  }
  const double scaled = static_cast<double>(logits[sampled.index] - sums.maximum) * inverse;
  sampled.logprob = static_cast<float>(scaled - std::log(sums.total));
  return sampled;
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
