#include "dreamgym/nn/engine_numbers.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/engine/number_names.h"
#include "dreamgym/nn/engine/packed_matrix.h"

namespace dreamgym {
namespace {

// Of an array's largest magnitude: what merging and taking out again leaves of a number is within it,
// what is no rounded number is beyond it somewhere.
constexpr float kUnmergeError = 1e-5F;

bool is_packed(const std::string& name, const TransformerConfig& config) {
  return name.ends_with("_proj.weight") ||
         name == (config.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight");
}

void round_array(NumberFormat format, WeightArray& array) {
  const auto depth = static_cast<std::size_t>(array.shape.back());
  const std::span<float> values(array.values);
  for (std::size_t begin = 0; begin < values.size(); begin += depth) {
    engine::round_row(format, values.subspan(begin, depth));
  }
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

void round_to_engine_numbers(TransformerWeights& weights, const std::string& numbers) {
  const NumberFormat format = engine::weight_format(numbers);
  for (auto& [name, array] : weights.arrays) {
    if (format != NumberFormat::kFloat32 && is_packed(name, weights.config)) {
      round_array(format, array);
    }
  }
}

void unmerge_to_engine_numbers(TransformerWeights& weights,
                               const LoraAdapter& adapter,
                               const std::string& numbers) {
  const NumberFormat format = engine::weight_format(numbers);
  LoraAdapter taken_out = adapter;
  taken_out.alpha = -adapter.alpha;
  merge_lora(taken_out, weights);
  for (auto& [name, array] : weights.arrays) {
    if (!is_packed(name, weights.config)) {
      continue;
    }
    const std::vector<float> before = array.values;
    round_array(format, array);
    std::vector<float> change(before.size());
    std::ranges::transform(before, array.values, change.begin(), std::minus{});
    if (largest_of(change) > kUnmergeError * largest_of(before)) {
      throw Error(ErrorKind::kCorrupt,
                  fmt::format("\"{}\" less its adapter is no matrix of {} numbers", name, numbers),
                  "the adapter does not belong to these weights");
    }
  }
}

}  // namespace dreamgym
