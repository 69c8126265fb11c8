#include "dreamgym/llm/gguf/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/llm/internal/gguf_names.h"

namespace dreamgym {
namespace {

constexpr const char* kRopeFactors = "rope_freqs.weight";

/// What follows "llama." and the like; all other keys there are unknown and refused.
constexpr std::array<std::string_view, 15> kKnownKeys = {"block_count",
                                                         "context_length",
                                                         "embedding_length",
                                                         "feed_forward_length",
                                                         "attention.head_count",
                                                         "attention.head_count_kv",
                                                         "attention.layer_norm_rms_epsilon",
                                                         "attention.key_length",
                                                         "attention.value_length",
                                                         "rope.dimension_count",
                                                         "rope.freq_base",
                                                         "rope.scaling.type",
                                                         "rope.scaling.factor",
                                                         "tensor_data_layout",
                                                         "vocab_size"};

[[noreturn]] void refuse(const GgufFile& file, const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              file.name() + ": " + what,
              "read are plain llama, qwen2 and qwen3 models");
}

void check_keys(const GgufFile& file, const std::string& prefix) {
  for (const auto& [key, value] : file.metadata()) {
    const bool known = !key.starts_with(prefix) ||
                       std::ranges::find(kKnownKeys, std::string_view(key).substr(prefix.size())) !=
                           kKnownKeys.end();
    if (!known) {
      refuse(file, "the value \"" + shorten(key, 80) + "\" may change what the model computes");
    }
  }
}

/// Llama 3's rule leaves its traces in a tensor of divisors; finds the rule that makes them.
RopeScaling scaling_of_factors(const GgufFile& file, const TransformerConfig& plain) {
  const std::vector<float> factors = dequantized(file.tensors().at(kRopeFactors), kRopeFactors);
  const std::vector<double> frequencies = rope_frequencies(plain);
  const bool fits = factors.size() == frequencies.size();
  TransformerConfig config = plain;
  RopeScaling& scaling = config.rope_scaling;
  scaling.kind = RopeScaling::Kind::kLlama3;
  scaling.factor = factors.empty() ? 0 : *std::ranges::max_element(factors);
  for (std::int64_t original = 64; fits && original <= (1 << 20); original *= 2) {
    scaling.original_max_position = original;
    const std::vector<double> stretched = rope_frequencies(config);
    double worst = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      worst = std::max(worst, std::abs(frequencies[i] / stretched[i] / factors[i] - 1));
    }
    if (worst < 1e-5) {
      return scaling;
    }
  }
  refuse(file, fmt::format("the tensor \"{}\" follows no rule that is known", kRopeFactors));
}

RopeScaling read_scaling(const GgufFile& file,
                         const std::string& prefix,
                         const TransformerConfig& plain) {
  if (file.tensors().contains(kRopeFactors)) {
    return scaling_of_factors(file, plain);
  }
  RopeScaling scaling;
  const auto* type = file.find<std::string>(prefix + "rope.scaling.type");
  if (type == nullptr || *type == "none") {
    return scaling;
  }
  if (*type != "linear") {
    refuse(file, "rotary scaling \"" + shorten(*type, 40) + "\" is not supported");
  }
  scaling.kind = RopeScaling::Kind::kLinear;
  scaling.factor = file.get<double>(prefix + "rope.scaling.factor");
  return scaling;
}

/// Positions are rotated whole, and keys are as wide as values.
void check_head(const GgufFile& file, const std::string& prefix, std::int64_t head_dim) {
  for (const char* key : {"rope.dimension_count", "attention.value_length"}) {
    const auto* value = file.find<std::int64_t>(prefix + key);
    if (value != nullptr && *value != head_dim) {
      refuse(file, fmt::format("{}{} is {}, the heads have {}", prefix, key, *value, head_dim));
    }
  }
}

WeightArray read_array(const GgufFile& file,
                       const std::string& name,
                       const std::vector<std::int64_t>& shape,
                       const TransformerConfig& config) {
  const std::string stored = gguf_name(name).value_or(name);
  const auto found = file.tensors().find(stored);
  if (found == file.tensors().end()) {
    throw Error(ErrorKind::kCorrupt, file.name() + ": tensor \"" + stored + "\" is missing");
  }
  if (found->second.shape != shape) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: tensor \"{}\" has shape {}, the metadata say {}",
                            file.name(),
                            stored,
                            shape_text(found->second.shape),
                            shape_text(shape)));
  }
  std::vector<float> values = dequantized(found->second, stored);
  if (const std::int64_t heads = num_permuted_heads(name, config); heads > 0) {
    values = halves_together(values, heads, config.head_dim);
  }
  return {shape, std::move(values)};
}

}  // namespace

TransformerConfig gguf_config(const GgufFile& file) {
  TransformerConfig config;
  config.family = file.get<std::string>("general.architecture");
  if (config.family != "llama" && config.family != "qwen2" && config.family != "qwen3") {
    refuse(file, "the architecture \"" + shorten(config.family, 60) + "\" is not supported");
  }
  const std::string prefix = config.family + ".";
  check_keys(file, prefix);
  const auto embeddings = file.tensors().find("token_embd.weight");
  if (embeddings == file.tensors().end() || embeddings->second.shape.size() != 2) {
    throw Error(ErrorKind::kCorrupt, file.name() + ": has no matrix \"token_embd.weight\"");
  }
  const auto integer = [&](const char* key) { return file.get<std::int64_t>(prefix + key); };
  const auto integer_or = [&](const char* key, std::int64_t otherwise) {
    const auto* value = file.find<std::int64_t>(prefix + key);
    return value == nullptr ? otherwise : *value;
  };
  config.vocab_size = embeddings->second.shape[0];
  config.hidden_size = integer("embedding_length");
  config.num_layers = integer("block_count");
  config.num_heads = integer("attention.head_count");
  config.num_kv_heads = integer_or("attention.head_count_kv", config.num_heads);
  config.head_dim = integer_or("attention.key_length",
                               config.hidden_size / std::max<std::int64_t>(1, config.num_heads));
  config.intermediate_size = integer("feed_forward_length");
  config.max_position = integer("context_length");
  const auto* theta = file.find<double>(prefix + "rope.freq_base");
  config.rope_theta = theta == nullptr ? 10000.0 : *theta;
  config.rms_norm_epsilon = file.get<double>(prefix + "attention.layer_norm_rms_epsilon");
  config.tied_embeddings = !file.tensors().contains("output.weight");
  config.qkv_bias = config.family == "qwen2";
  config.qk_norm = config.family == "qwen3";
  config.convolution_taps = 0;
  validate(config, file.name());
  check_head(file, prefix, config.head_dim);
  config.rope_scaling = read_scaling(file, prefix, config);
  validate(config, file.name());
  return config;
}

TransformerWeights gguf_weights(const GgufFile& file) {
  TransformerWeights weights;
  weights.config = gguf_config(file);
  weights.version = Path(file.name()).stem().string();
  std::size_t num_known = file.tensors().contains(kRopeFactors) ? 1 : 0;
  for (const auto& [name, shape] : parameter_shapes(weights.config)) {
    weights.arrays.emplace(name, read_array(file, name, shape, weights.config));
    ++num_known;
  }
  if (num_known != file.tensors().size()) {
    refuse(file,
           fmt::format("has {} tensors, a {} model of that shape has {}",
                       file.tensors().size(),
                       weights.config.family,
                       num_known));
  }
  return weights;
}

}  // namespace dreamgym
