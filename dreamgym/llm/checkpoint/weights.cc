#include "dreamgym/llm/checkpoint/weights.h"

#include <cmath>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/llm/checkpoint/weight_files.h"

namespace dreamgym {
namespace {

constexpr const char* kVersion = "dreamgym_version";

/// Every array of the config, with its shape, and nothing else.
void check_arrays(const WeightFiles& files,
                  const TransformerConfig& config,
                  const std::string& where) {
  const auto shapes = parameter_shapes(config);
  for (const auto& [name, shape] : shapes) {
    const auto found = files.arrays().find(name);
    if (found == files.arrays().end()) {
      throw Error(ErrorKind::kParse, where + ": array \"" + name + "\" is missing");
    }
    if (found->second.array.shape != shape) {
      throw Error(ErrorKind::kParse,
                  found->second.file + ": array \"" + name + "\" has shape " +
                      shape_text(found->second.array.shape) + ", config.json says " +
                      shape_text(shape));
    }
  }
  for (const auto& [name, entry] : files.arrays()) {
    if (!shapes.contains(name) && !is_redundant_array(name, config)) {
      throw Error(ErrorKind::kUnsupported,
                  entry.file + ": array \"" + shorten(name, 80) + "\" belongs to no part of a " +
                      config.family + " model");
    }
  }
}

const char* dtype_name(NumberType type) {
  return type == NumberType::kFloat32   ? "float32"
         : type == NumberType::kFloat16 ? "float16"
                                        : "bfloat16";
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
    if (config.qkv_bias) {
      shapes[prefix + "self_attn.q_proj.bias"] = {query_size};
      shapes[prefix + "self_attn.k_proj.bias"] = {kv_size};
      shapes[prefix + "self_attn.v_proj.bias"] = {kv_size};
    }
    if (config.qk_norm) {
      shapes[prefix + "self_attn.q_norm.weight"] = {config.head_dim};
      shapes[prefix + "self_attn.k_norm.weight"] = {config.head_dim};
    }
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

bool is_redundant_array(const std::string& name, const TransformerConfig& config) {
  return name.ends_with("rotary_emb.inv_freq") ||
         (config.tied_embeddings && name == "lm_head.weight");
}

TransformerWeights initial_weights(const TransformerConfig& config, std::uint64_t seed) {
  validate(config, "initial weights");
  const Rng root(seed);
  const double residual_scale = 1.0 / std::sqrt(2.0 * static_cast<double>(config.num_layers));
  TransformerWeights weights{config, {}, "initial-" + to_hex(seed)};
  for (const auto& [name, shape] : parameter_shapes(config)) {
    WeightArray array{shape, std::vector<float>(num_values(shape))};
    if (shape.size() == 1) {
      std::ranges::fill(array.values, name.ends_with(".bias") ? 0.0F : 1.0F);
    } else if (!name.ends_with("convolution.weight")) {
      const bool embedding = name.ends_with("embed_tokens.weight") || name == "lm_head.weight";
      const bool residual = name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight");
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
  TransformerWeights weights;
  weights.config = config_from_json(read_file(config_path), config_path.string());
  const WeightFiles files{folder};
  check_arrays(files, weights.config, folder);
  for (const auto& [name, entry] : files.arrays()) {
    if (!is_redundant_array(name, weights.config)) {
      weights.arrays.emplace(name, widened(entry.array, name, entry.file));
    }
  }
  const auto version = files.metadata().find(kVersion);
  weights.version = version != files.metadata().end()
                        ? version->second
                        : std::filesystem::absolute(folder).lexically_normal().filename().string();
  return weights;
}

void save_weights(const TransformerWeights& weights,
                  const std::string& folder,
                  NumberType type,
                  std::size_t max_shard_bytes) {
  make_folder(folder);
  write_file(Path(folder) / "config.json", config_to_json(weights.config, dtype_name(type)));
  std::map<std::string, ArraySource> sources;
  for (const auto& [name, array] : weights.arrays) {
    sources.emplace(name, ArraySource{array.shape, [&array] { return array.values; }});
  }
  write_weight_files(sources, {{kVersion, weights.version}}, type, folder, max_shard_bytes);
}

}  // namespace dreamgym
