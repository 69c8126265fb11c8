#include "dreamgym/llm/checkpoint/lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/checkpoint/weight_files.h"
#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPrefix = "base_model.model.";
constexpr const char* kStem = "adapter_model";
constexpr std::int64_t kMaxRank = 1 << 16;

/// Null, false, "none" or empty: a feature that is off.
bool is_off(const Json& value) {
  return value.is_null() || value == false || value == "none" ||
         (value.is_structured() && value.empty());
}

void check_features(const Json& json, const std::string& where) {
  for (const char* key : {"use_dora",
                          "use_qalora",
                          "use_bdlora",
                          "fan_in_fan_out",
                          "lora_bias",
                          "bias",
                          "rank_pattern",
                          "alpha_pattern",
                          "modules_to_save",
                          "layer_replication",
                          "target_parameters",
                          "trainable_token_indices"}) {
    if (const auto found = json.find(key); found != json.end() && !is_off(*found)) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("{}: \"{}\" is {}, expected it to be off", where, key, json_excerpt(*found)),
          "plain LoRA of linear layers is supported");
    }
  }
}

LoraAdapter read_config(const Path& path) {
  const std::string where = path.string();
  const Json json = parse_object(read_file(path), where);
  if (const auto type = field_of<std::string>(json, where, "peft_type"); type != "LORA") {
    throw Error(ErrorKind::kUnsupported, where + ": peft_type \"" + shorten(type, 40) + "\"");
  }
  check_features(json, where);
  LoraAdapter adapter;
  adapter.rank = field_of<std::int64_t>(json, where, "r");
  adapter.alpha = field_of<double>(json, where, "lora_alpha");
  adapter.rank_stabilized = field_or(json, where, "use_rslora", false);
  adapter.base_model = field_or<std::string>(json, where, "base_model_name_or_path", "");
  const auto targets = json.find("target_modules");
  if (targets != json.end() && targets->is_string()) {
    adapter.target_modules = {targets->get<std::string>()};  // a pattern, or "all-linear"
  } else {
    adapter.target_modules = field_of<std::vector<std::string>>(json, where, "target_modules");
  }
  std::ranges::sort(adapter.target_modules);
  if (adapter.rank < 1 || adapter.rank > kMaxRank || !std::isfinite(adapter.alpha)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: r is {}, expected 1 to {}", where, adapter.rank, kMaxRank));
  }
  return adapter;
}

/// "base_model.model.X.lora_A.weight" -> "X.weight" and whether it is B; "" if it is neither.
std::pair<std::string, bool> adapted_weight(std::string_view name) {
  for (const bool is_b : {false, true}) {
    const std::string_view end = is_b ? ".lora_B.weight" : ".lora_A.weight";
    if (name.starts_with(kPrefix) && name.ends_with(end)) {
      name.remove_prefix(kPrefix.size());
      name.remove_suffix(end.size());
      return {std::string(name) + ".weight", is_b};
    }
  }
  return {"", false};
}

void check_pairs(const LoraAdapter& adapter, const std::string& where) {
  for (const auto& [name, pair] : adapter.pairs) {
    const bool fits = pair.a.shape.size() == 2 && pair.b.shape.size() == 2 &&
                      pair.a.shape[0] == adapter.rank && pair.b.shape[1] == adapter.rank;
    if (!fits) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: the pair of \"{}\" has shapes {} and {}, expected rank {}",
                              where,
                              name,
                              shape_text(pair.a.shape),
                              shape_text(pair.b.shape),
                              adapter.rank));
    }
  }
}

// As PEFT draws it: A uniform in +-1 / sqrt(in), B zero, so that the model starts unchanged.
LoraAdapter::Pair initial_pair(const std::vector<std::int64_t>& shape,
                               std::int64_t rank,
                               Rng stream) {
  LoraAdapter::Pair pair{{{rank, shape[1]}, {}}, {{shape[0], rank}, {}}};
  pair.a.values.resize(num_values(pair.a.shape));
  pair.b.values.resize(num_values(pair.b.shape));
  const double bound = 1.0 / std::sqrt(static_cast<double>(shape[1]));
  for (float& value : pair.a.values) {
    value = static_cast<float>(bound * (2.0 * stream.uniform() - 1.0));
  }
  return pair;
}

}  // namespace

double LoraAdapter::scale() const {
  const auto r = static_cast<double>(rank);
  return rank_stabilized ? alpha / std::sqrt(r) : alpha / r;
}

std::string lora_array_name(const std::string& weight, char side) {
  const std::string_view module = std::string_view(weight).substr(0, weight.rfind('.'));
  return fmt::format("{}{}.lora_{}.weight", kPrefix, module, side);
}

LoraAdapter initial_lora(const TransformerConfig& config,
                         LoraAdapter settings,
                         std::uint64_t seed) {
  if (settings.rank < 1 || settings.rank > kMaxRank || !std::isfinite(settings.alpha)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("an adapter of rank {} and alpha {}; expected a rank of 1 to {}",
                            settings.rank,
                            settings.alpha,
                            kMaxRank));
  }
  std::ranges::sort(settings.target_modules);
  settings.pairs.clear();
  for (const auto& [name, shape] : parameter_shapes(config)) {
    for (const std::string& target : settings.target_modules) {
      if (shape.size() == 2 && name.ends_with("." + target + ".weight")) {
        settings.pairs.emplace(name, initial_pair(shape, settings.rank, Rng(seed).fork(name)));
      }
    }
  }
  for (const std::string& target : settings.target_modules) {
    if (std::ranges::none_of(settings.pairs, [&](const auto& pair) {
          return pair.first.ends_with("." + target + ".weight");
        })) {
      throw Error(ErrorKind::kInvalidArgument,
                  "the model has no module \"" + shorten(target, 60) + "\" to adapt",
                  "name q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj or down_proj");
    }
  }
  return settings;
}

LoraAdapter load_lora(const std::string& folder) {
  LoraAdapter adapter = read_config(Path(folder) / "adapter_config.json");
  const WeightFiles files(folder, kStem);
  for (const auto& [name, entry] : files.arrays()) {
    const auto [weight, is_b] = adapted_weight(name);
    if (weight.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  entry.file + ": array \"" + shorten(name, 80) + "\" is no part of plain LoRA");
    }
    LoraAdapter::Pair& pair = adapter.pairs[weight];
    (is_b ? pair.b : pair.a) = widened(entry.array, name, entry.file);
  }
  check_pairs(adapter, folder);
  return adapter;
}

void save_lora(const LoraAdapter& adapter, const std::string& folder) {
  make_folder(folder);
  nlohmann::ordered_json json;
  json["peft_type"] = "LORA";
  json["task_type"] = "CAUSAL_LM";
  json["base_model_name_or_path"] = adapter.base_model;
  json["r"] = adapter.rank;
  if (adapter.alpha == std::floor(adapter.alpha)) {
    json["lora_alpha"] = static_cast<std::int64_t>(adapter.alpha);  // as PEFT's own type
  } else {
    json["lora_alpha"] = adapter.alpha;
  }
  json["use_rslora"] = adapter.rank_stabilized;
  json["target_modules"] = adapter.target_modules;
  json["lora_dropout"] = 0.0;
  json["bias"] = "none";
  json["fan_in_fan_out"] = false;
  json["inference_mode"] = true;
  json["init_lora_weights"] = true;
  write_file(Path(folder) / "adapter_config.json", json.dump(2) + "\n");
  std::map<std::string, ArraySource> sources;
  for (const auto& [name, pair] : adapter.pairs) {
    sources.emplace(lora_array_name(name, 'A'),
                    ArraySource{pair.a.shape, [&array = pair.a] { return array.values; }});
    sources.emplace(lora_array_name(name, 'B'),
                    ArraySource{pair.b.shape, [&array = pair.b] { return array.values; }});
  }
  write_file(Path(folder) / fmt::format("{}.safetensors", kStem), [&](const auto& write) {
    write_safetensors(sources, {}, NumberType::kFloat32, write);
  });
}

void merge_lora(const LoraAdapter& adapter, TransformerWeights& weights) {
  for (const auto& [name, pair] : adapter.pairs) {
    const auto found = weights.arrays.find(name);
    if (found == weights.arrays.end() ||
        found->second.shape !=
            (std::vector<std::int64_t>{pair.b.shape.at(0), pair.a.shape.at(1)})) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("the adapter changes \"{}\" as if it were {}, the model has {}",
                              name,
                              shape_text({pair.b.shape.at(0), pair.a.shape.at(1)}),
                              found == weights.arrays.end() ? "no such weight"
                                                            : shape_text(found->second.shape)),
                  "the adapter belongs to another model");
    }
    const auto rank = static_cast<std::size_t>(adapter.rank);
    const auto width = static_cast<std::size_t>(pair.a.shape[1]);
    std::vector<float>& values = found->second.values;
    std::vector<double> change(width);
    for (std::size_t row = 0; row < values.size() / width; ++row) {
      std::ranges::fill(change, 0.0);
      for (std::size_t k = 0; k < rank; ++k) {
        const double factor = pair.b.values[row * rank + k];
        for (std::size_t i = 0; i < width; ++i) {
          change[i] += factor * double{pair.a.values[k * width + i]};
        }
      }
      for (std::size_t i = 0; i < width; ++i) {
        float& value = values[row * width + i];
        value = static_cast<float>(value + adapter.scale() * change[i]);
      }
    }
  }
}

}  // namespace dreamgym
