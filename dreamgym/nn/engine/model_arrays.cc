#include "dreamgym/nn/engine/model_arrays.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

void check_supported(const TransformerConfig& config) {
  const bool positive = config.vocab_size > 0 && config.hidden_size > 0 && config.num_layers > 0 &&
                        config.num_heads > 0 && config.num_kv_heads > 0 && config.head_dim > 0 &&
                        config.intermediate_size > 0 && config.max_position > 0;
  if (!positive || config.num_heads % config.num_kv_heads != 0 || config.head_dim % 2 != 0 ||
      config.head_dim > static_cast<std::int64_t>(kDepthPiece) || config.convolution_taps < 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the generation engine can't run {} heads over {} key-value heads of "
                            "dimension {} with {} convolution taps; expected a multiple, an even "
                            "dimension up to {} and sizes above 0",
                            config.num_heads,
                            config.num_kv_heads,
                            config.head_dim,
                            config.convolution_taps,
                            kDepthPiece));
  }
  if (config.qk_norm && config.head_dim % static_cast<std::int64_t>(kSumLanes) != 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the generation engine can't normalise heads of dimension {}; expected "
                            "a multiple of {}",
                            config.head_dim,
                            kSumLanes));
  }
}

std::span<const float> array_of(const TransformerWeights& weights,
                                const std::string& name,
                                std::size_t rows,
                                std::size_t columns) {
  const auto found = weights.arrays.find(name);
  if (found == weights.arrays.end()) {
    throw Error(ErrorKind::kInvalidArgument, fmt::format("weights have no array \"{}\"", name));
  }
  if (found->second.values.size() != rows * columns) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("array \"{}\" has {} values, the config says {} x {}",
                            name,
                            found->second.values.size(),
                            rows,
                            columns));
  }
  return found->second.values;
}

// Angles in double, so that late positions are as exact as early ones.
Rotations rotations_of(const TransformerConfig& config) {
  const std::size_t half = static_cast<std::size_t>(config.head_dim) / 2;
  const auto positions = static_cast<std::size_t>(config.max_position);
  Rotations rotations{.cosines = AlignedFloats(positions * half),
                      .sines = AlignedFloats(positions * half)};
  const std::vector<double> frequencies = rope_frequencies(config);
  for (std::size_t i = 0; i < half; ++i) {
    for (std::size_t position = 0; position < positions; ++position) {
      const double angle = static_cast<double>(position) * frequencies[i];
      rotations.cosines[position * half + i] = static_cast<float>(std::cos(angle));
      rotations.sines[position * half + i] = static_cast<float>(std::sin(angle));
    }
  }
  return rotations;
}

}  // namespace dreamgym::engine
