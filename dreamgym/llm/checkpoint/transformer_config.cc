#include "dreamgym/llm/checkpoint/transformer_config.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct Preset {
  std::string_view name;
  std::int64_t hidden_size;
  std::int64_t num_layers;
  std::int64_t num_heads;
  std::int64_t num_kv_heads;
  std::int64_t intermediate_size;
};

// head_dim is 32 in all of them: two AVX-512 or four AVX2 vectors. Parameters at vocabulary 1024.
constexpr std::array kPresets{
    Preset{"nano-s", 96, 3, 3, 3, 288},   // 0.45M
    Preset{"nano", 128, 5, 4, 2, 384},    // 1.12M
    Preset{"nano-l", 192, 6, 6, 3, 576},  // 2.87M
};

/// Llama 3's rule. Wavelengths are in positions.
double stretched(double frequency, const RopeScaling& scaling) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const auto original = static_cast<double>(scaling.original_max_position);
  const double longest_kept = original / scaling.high_frequency_factor;
  const double shortest_divided = original / scaling.low_frequency_factor;
  if (wavelength < longest_kept) {
    return frequency;
  }
  if (wavelength > shortest_divided) {
    return frequency / scaling.factor;
  }
  const double smooth = (original / wavelength - scaling.low_frequency_factor) /
                        (scaling.high_frequency_factor - scaling.low_frequency_factor);
  return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(const TransformerConfig& config) {
  const auto half = static_cast<std::size_t>(config.head_dim / 2);
  std::vector<double> frequencies(half);
  for (std::size_t i = 0; i < half; ++i) {
    double& frequency = frequencies[i];
    frequency = std::pow(config.rope_theta, -static_cast<double>(i) / static_cast<double>(half));
    if (config.rope_scaling.kind == RopeScaling::Kind::kLinear) {
      frequency /= config.rope_scaling.factor;
    } else if (config.rope_scaling.kind == RopeScaling::Kind::kLlama3) {
      frequency = stretched(frequency, config.rope_scaling);
    }
  }
  return frequencies;
}

TransformerConfig transformer_preset(const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) {
      TransformerConfig config;
      config.hidden_size = preset.hidden_size;
      config.num_layers = preset.num_layers;
      config.num_heads = preset.num_heads;
      config.num_kv_heads = preset.num_kv_heads;
      config.intermediate_size = preset.intermediate_size;
      return config;
    }
    known.emplace_back(preset.name);
  }
  throw Error(
      ErrorKind::kNotFound,
      "no model preset is called \"" + shorten(name, 60) + "\"; known: " + join(known, ", "),
      "did you mean \"" + nearest(name, known) + "\"?");
}

}  // namespace dreamgym
