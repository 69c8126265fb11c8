#include "dreamgym/nn/weights.h"

#include <cmath>
#include <filesystem>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/nn/internal/config_json.h"
#include "dreamgym/nn/internal/safetensors.h"

namespace dreamgym {
namespace {

constexpr const char* kVersion = "dreamgym_version";

bool ends_with(const std::string& text, std::string_view end) {
  return text.ends_with(end);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::size_t num_values(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

// Constants and copies that older checkpoints store though nobody needs them.
bool is_redundant(const std::string& name, const TransformerConfig& config) {
  return ends_with(name, "rotary_emb.inv_freq") ||
         (config.tied_embeddings && name == "lm_head.weight");
}

void check_arrays(std::map<std::string, WeightArray>& arrays,
                  const TransformerConfig& config,
                  const std::string& where) {
  const auto shapes = parameter_shapes(config);
  for (const auto& [name, shape] : shapes) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      throw Error(ErrorKind::kParse, where + ": array \"" + name + "\" is missing");
    }
    if (found->second.shape != shape) {
      throw Error(ErrorKind::kParse,
                  where + ": array \"" + name + "\" has shape " + shape_text(found->second.shape) +
                      ", config.json says " + shape_text(shape));
    }
  }
  std::erase_if(arrays, [&](const auto& item) { return is_redundant(item.first, config); });
  for (const auto& [name, array] : arrays) {
    if (!shapes.contains(name)) {
      throw Error(ErrorKind::kUnsupported,
                  where + ": array \"" + shorten(name, 80) + "\" belongs to no part of a " +
                      config.family + " model");
    }
  }
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> parameter_shapes(const TransformerConfig& config) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t query_size = config.num_heads * config.head_dim;
  const std::int64_t kv_size = config.num_kv_heads * config.head_dim;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  shapes["model.embed_tokens.weight"] = {config.vocab_size, hidden};
  shapes["model.norm.weight"] = {hidden};
  if (!config.tied_embeddings) {
    shapes["lm_head.weight"] = {config.vocab_size, hidden};
  }
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    shapes[prefix + "input_layernorm.weight"] = {hidden};
    shapes[prefix + "post_attention_layernorm.weight"] = {hidden};
    shapes[prefix + "self_attn.q_proj.weight"] = {query_size, hidden};
    shapes[prefix + "self_attn.k_proj.weight"] = {kv_size, hidden};
    shapes[prefix + "self_attn.v_proj.weight"] = {kv_size, hidden};
    shapes[prefix + "self_attn.o_proj.weight"] = {hidden, query_size};
    shapes[prefix + "mlp.gate_proj.weight"] = {config.intermediate_size, hidden};
    shapes[prefix + "mlp.up_proj.weight"] = {config.intermediate_size, hidden};
    shapes[prefix + "mlp.down_proj.weight"] = {hidden, config.intermediate_size};
    if (config.convolution_taps > 0) {
      shapes[prefix + "attention_convolution.weight"] = {config.convolution_taps, hidden};
      shapes[prefix + "mlp_convolution.weight"] = {config.convolution_taps, hidden};
    }
  }
  return shapes;
}

std::int64_t num_parameters(const TransformerConfig& config) {
  std::int64_t total = 0;
  for (const auto& [name, shape] : parameter_shapes(config)) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) {
      size *= extent;
    }
    total += size;
  }
  return total;
}

TransformerWeights initial_weights(const TransformerConfig& config, std::uint64_t seed) {
  internal::validate(config, "initial weights");
  const Rng root(seed);
  const double residual_scale = 1.0 / std::sqrt(2.0 * static_cast<double>(config.num_layers));
  TransformerWeights weights{config, {}, "initial-" + to_hex(seed)};
  for (const auto& [name, shape] : parameter_shapes(config)) {
    WeightArray array{shape, std::vector<float>(num_values(shape))};
    if (shape.size() == 1) {
      std::ranges::fill(array.values, 1.0F);
    } else if (!ends_with(name, "convolution.weight")) {
      const bool embedding = ends_with(name, "embed_tokens.weight") || name == "lm_head.weight";
      const bool residual = ends_with(name, "o_proj.weight") || ends_with(name, "down_proj.weight");
      const double deviation = (embedding ? 0.02 : 1.0 / std::sqrt(static_cast<double>(shape[1]))) *
                               (residual ? residual_scale : 1.0);
      Rng rng = root.fork(name);
      for (float& value : array.values) {
        value = static_cast<float>(deviation * rng.normal());
      }
    }
    weights.arrays.emplace(name, std::move(array));
  }
  return weights;
}

TransformerWeights load_weights(const std::string& folder) {
  const Path config_path = Path(folder) / "config.json";
  const Path arrays_path = Path(folder) / "model.safetensors";
  TransformerWeights weights;
  weights.config = internal::config_from_json(read_file(config_path), config_path.string());
  if (!std::filesystem::exists(arrays_path) &&
      std::filesystem::exists(Path(folder) / "model.safetensors.index.json")) {
    throw Error(ErrorKind::kUnsupported,
                folder + ": the weights are split into several safetensors files",
                "save the model as one model.safetensors");
  }
  auto file = internal::read_safetensors(read_file(arrays_path), arrays_path.string());
  check_arrays(file.arrays, weights.config, arrays_path.string());
  weights.arrays = std::move(file.arrays);
  const auto version = file.metadata.find(kVersion);
  weights.version = version != file.metadata.end()
                        ? version->second
                        : std::filesystem::absolute(folder).lexically_normal().filename().string();
  return weights;
}

void save_weights(const TransformerWeights& weights, const std::string& folder, WeightType type) {
  const bool full = type == WeightType::kFloat32;
  make_folder(folder);
  write_file(Path(folder) / "config.json",
             internal::config_to_json(weights.config, full ? "float32" : "bfloat16"));
  write_file(Path(folder) / "model.safetensors",
             internal::write_safetensors(weights.arrays, {{kVersion, weights.version}}, type));
}

}  // namespace dreamgym
