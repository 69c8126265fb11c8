#include "dreamgym/llm/checkpoint/config_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "dreamgym/llm/internal/config_keys.h"
#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr const char* kNanoFamily = "dreamgym_nano";
constexpr std::int64_t kQwen3HeadDim = 128;  // where its config.json says nothing

void check_range(const std::string& where,
                 const char* field,
                 std::int64_t value,
                 std::int64_t low,
                 std::int64_t high) {
  if (value < low || value > high) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: {} is {}, expected {} to {}", where, field, value, low, high));
  }
}

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              where + ": " + what,
              "supported are model_type llama, qwen2, qwen3 and dreamgym_nano, with silu and "
              "rotary positions as they are, linear or llama3");
}

RopeScaling read_scaling(const Json& json, const std::string& where) {
  RopeScaling scaling;
  const auto type = json.contains("rope_type") ? field_of<std::string>(json, where, "rope_type")
                                               : field_or<std::string>(json, where, "type", "");
  if (type == "default") {
    return scaling;
  }
  if (type != "linear" && type != "llama3") {
    refuse(where, "rotary scaling " + json_excerpt(json) + " is not supported");
  }
  scaling.factor = field_of<double>(json, where, "factor");
  scaling.kind = RopeScaling::Kind::kLinear;
  if (type == "llama3") {
    scaling.kind = RopeScaling::Kind::kLlama3;
    scaling.low_frequency_factor = field_of<double>(json, where, "low_freq_factor");
    scaling.high_frequency_factor = field_of<double>(json, where, "high_freq_factor");
    scaling.original_max_position =
        field_of<std::int64_t>(json, where, "original_max_position_embeddings");
  }
  return scaling;
}

void read_rope(const Json& json, const std::string& where, TransformerConfig& config) {
  config.rope_theta = field_or(json, where, "rope_theta", config.rope_theta);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) {
      continue;
    }
    if (!found->is_object()) {
      refuse(where, fmt::format("{} {} is not supported", key, json_excerpt(*found)));
    }
    config.rope_theta = field_or(*found, where, "rope_theta", config.rope_theta);
    if (field_or(*found, where, "partial_rotary_factor", 1.0) != 1.0) {
      refuse(where, "a partial_rotary_factor other than 1 is not supported");
    }
    config.rope_scaling = read_scaling(*found, where);
  }
}

Json scaling_to_json(const RopeScaling& scaling) {
  switch (scaling.kind) {
    case RopeScaling::Kind::kNone:
      return {};
    case RopeScaling::Kind::kLinear:
      return {{"rope_type", "linear"}, {"factor", scaling.factor}};
    case RopeScaling::Kind::kLlama3:
      return {{"rope_type", "llama3"},
              {"factor", scaling.factor},
              {"low_freq_factor", scaling.low_frequency_factor},
              {"high_freq_factor", scaling.high_frequency_factor},
              {"original_max_position_embeddings", scaling.original_max_position}};
  }
  return {};
}

const char* architecture_of(const std::string& family) {
  if (family == "qwen2") {
    return "Qwen2ForCausalLM";
  }
  if (family == "qwen3") {
    return "Qwen3ForCausalLM";
  }
  return family == kNanoFamily ? "DreamgymNanoForCausalLM" : "LlamaForCausalLM";
}

void check_rope(const TransformerConfig& config, const std::string& where) {
  const RopeScaling& scaling = config.rope_scaling;
  const bool positive = config.rope_theta > 0 && config.rms_norm_epsilon > 0 &&
                        scaling.factor > 0 && scaling.low_frequency_factor > 0 &&
                        scaling.original_max_position > 0;
  if (!positive) {
    throw Error(ErrorKind::kInvalidArgument,
                where +
                    ": rope_theta, rms_norm_eps and the factors of the rotary scaling must be "
                    "above 0");
  }
  if (scaling.high_frequency_factor <= scaling.low_frequency_factor) {
    throw Error(ErrorKind::kInvalidArgument,
                where + ": high_freq_factor must be above low_freq_factor");
  }
}

}  // namespace

void validate(const TransformerConfig& config, const std::string& where) {
  check_range(where, "vocab_size", config.vocab_size, 1, 1 << 24);
  check_range(where, "hidden_size", config.hidden_size, 1, 1 << 16);
  check_range(where, "num_hidden_layers", config.num_layers, 1, 1024);
  check_range(where, "num_attention_heads", config.num_heads, 1, 1024);
  check_range(where, "num_key_value_heads", config.num_kv_heads, 1, config.num_heads);
  check_range(where, "head_dim", config.head_dim, 2, 1024);
  check_range(where, "intermediate_size", config.intermediate_size, 1, 1 << 18);
  check_range(where, "max_position_embeddings", config.max_position, 1, 1 << 24);
  check_range(where, "convolution_taps", config.convolution_taps, 0, 16);
  if (config.num_heads % config.num_kv_heads != 0) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("{}: num_attention_heads {} is not a multiple of num_key_value_heads {}",
                    where,
                    config.num_heads,
                    config.num_kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: head_dim is {}, expected an even number (rotary positions turn "
                            "pairs)",
                            where,
                            config.head_dim));
  }
  check_rope(config, where);
}

std::string config_to_json(const TransformerConfig& config, const std::string& dtype) {
  nlohmann::ordered_json json;
  json["architectures"] = {architecture_of(config.family)};
  json["model_type"] = config.family;
  json["vocab_size"] = config.vocab_size;
  json["hidden_size"] = config.hidden_size;
  json["num_hidden_layers"] = config.num_layers;
  json["num_attention_heads"] = config.num_heads;
  json["num_key_value_heads"] = config.num_kv_heads;
  json["head_dim"] = config.head_dim;
  json["intermediate_size"] = config.intermediate_size;
  json["max_position_embeddings"] = config.max_position;
  json["rope_theta"] = config.rope_theta;
  json["rms_norm_eps"] = config.rms_norm_epsilon;
  json["tie_word_embeddings"] = config.tied_embeddings;
  json["hidden_act"] = "silu";
  json["torch_dtype"] = dtype;
  if (config.rope_scaling.kind != RopeScaling::Kind::kNone) {
    json["rope_scaling"] = scaling_to_json(config.rope_scaling);
  }
  if (config.family == kNanoFamily) {
    json["convolution_taps"] = config.convolution_taps;
  }
  const Json kept = Json::parse(config.other_keys, nullptr, false);
  check(kept.is_object(), "other_keys is a JSON object");
  json.update(nlohmann::ordered_json(kept));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

TransformerConfig config_from_json(const std::string& text, const std::string& where) {
  const Json json = parse_object(text, where);
  TransformerConfig config;
  config.family = field_of<std::string>(json, where, "model_type");
  constexpr std::array<std::string_view, 4> kFamilies = {kNanoFamily, "llama", "qwen2", "qwen3"};
  if (std::ranges::find(kFamilies, config.family) == kFamilies.end()) {
    refuse(where, "model_type \"" + shorten(config.family, 60) + "\" is not supported");
  }
  config.vocab_size = field_of<std::int64_t>(json, where, "vocab_size");
  config.hidden_size = field_of<std::int64_t>(json, where, "hidden_size");
  config.num_layers = field_of<std::int64_t>(json, where, "num_hidden_layers");
  config.num_heads = field_of<std::int64_t>(json, where, "num_attention_heads");
  config.num_kv_heads =
      field_or<std::int64_t>(json, where, "num_key_value_heads", config.num_heads);
  const std::int64_t split_evenly =
      config.hidden_size / std::max<std::int64_t>(1, config.num_heads);
  config.head_dim = field_or<std::int64_t>(
      json, where, "head_dim", config.family == "qwen3" ? kQwen3HeadDim : split_evenly);
  config.intermediate_size = field_of<std::int64_t>(json, where, "intermediate_size");
  config.max_position =
      field_or<std::int64_t>(json, where, "max_position_embeddings", config.max_position);
  read_rope(json, where, config);
  config.rms_norm_epsilon = field_or(json, where, "rms_norm_eps", 1e-6);
  config.tied_embeddings = field_or(json, where, "tie_word_embeddings", false);
  config.qkv_bias = config.family == "qwen2";
  config.qk_norm = config.family == "qwen3";
  config.convolution_taps = field_or<std::int64_t>(json, where, "convolution_taps", 0);
  validate(config, where);
  config.other_keys = keep_other_keys(json, config, where);
  return config;
}

}  // namespace dreamgym
