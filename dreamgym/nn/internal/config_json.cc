#include "dreamgym/nn/internal/config_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::internal {
namespace {

using Json = nlohmann::json;

constexpr const char* kNanoFamily = "dreamgym_nano";

void check_range(const std::string& where,
                 const char* field,
                 std::int64_t value,
                 std::int64_t low,
                 std::int64_t high) {
  if (value < low || value > high) {
    throw Error(ErrorKind::kInvalidArgument,
                where + ": " + field + " is " + std::to_string(value) + ", expected " +
                    std::to_string(low) + " to " + std::to_string(high));
  }
}

template <class T>
T field_of(const Json& json, const std::string& where, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) {
    throw Error(ErrorKind::kParse, where + ": field \"" + name + "\" is missing");
  }
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kParse,
                where + ": field \"" + name + "\" has the wrong type: " +
                    shorten(found->dump(-1, ' ', false, Json::error_handler_t::replace), 80));
  }
}

template <class T>
T field_or(const Json& json, const std::string& where, const char* name, T otherwise) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? otherwise : field_of<T>(json, where, name);
}

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              where + ": " + what,
              "supported are model_type dreamgym_nano and llama with silu, no biases and plain "
              "rotary positions");
}

void refuse_variants(const Json& json, const std::string& where, const std::string& family) {
  if (family != kNanoFamily && family != "llama") {
    refuse(where, "model_type \"" + shorten(family, 60) + "\" is not supported");
  }
  if (const auto act = field_or<std::string>(json, where, "hidden_act", "silu"); act != "silu") {
    refuse(where, "hidden_act \"" + shorten(act, 60) + "\" is not supported");
  }
  for (const char* bias : {"attention_bias", "mlp_bias"}) {
    if (field_or(json, where, bias, false)) {
      refuse(where, std::string(bias) + " true is not supported");
    }
  }
  if (const auto scaling = json.find("rope_scaling");
      scaling != json.end() && !scaling->is_null()) {
    refuse(where, "rope_scaling is not supported");
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
    throw Error(ErrorKind::kInvalidArgument,
                where + ": num_attention_heads " + std::to_string(config.num_heads) +
                    " is not a multiple of num_key_value_heads " +
                    std::to_string(config.num_kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    throw Error(ErrorKind::kInvalidArgument,
                where + ": head_dim is " + std::to_string(config.head_dim) +
                    ", expected an even number (rotary positions turn pairs)");
  }
  if (!(config.rope_theta > 0) || !(config.rms_norm_epsilon > 0)) {
    throw Error(ErrorKind::kInvalidArgument,
                where + ": rope_theta and rms_norm_eps must be above 0");
  }
}

std::string config_to_json(const TransformerConfig& config, const std::string& dtype) {
  nlohmann::ordered_json json;
  const bool nano = config.family == kNanoFamily;
  json["architectures"] = {nano ? "DreamgymNanoForCausalLM" : "LlamaForCausalLM"};
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
  json["convolution_taps"] = config.convolution_taps;
  json["hidden_act"] = "silu";
  json["torch_dtype"] = dtype;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

TransformerConfig config_from_json(const std::string& text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw Error(ErrorKind::kParse, where + " is not a JSON object");
  }
  TransformerConfig config;
  config.family = field_of<std::string>(json, where, "model_type");
  refuse_variants(json, where, config.family);
  config.vocab_size = field_of<std::int64_t>(json, where, "vocab_size");
  config.hidden_size = field_of<std::int64_t>(json, where, "hidden_size");
  config.num_layers = field_of<std::int64_t>(json, where, "num_hidden_layers");
  config.num_heads = field_of<std::int64_t>(json, where, "num_attention_heads");
  config.num_kv_heads =
      field_or<std::int64_t>(json, where, "num_key_value_heads", config.num_heads);
  config.head_dim = field_or<std::int64_t>(
      json, where, "head_dim", config.hidden_size / std::max<std::int64_t>(1, config.num_heads));
  config.intermediate_size = field_of<std::int64_t>(json, where, "intermediate_size");
  config.max_position =
      field_or<std::int64_t>(json, where, "max_position_embeddings", config.max_position);
  config.rope_theta = field_or(json, where, "rope_theta", config.rope_theta);
  config.rms_norm_epsilon = field_or(json, where, "rms_norm_eps", 1e-6);
  config.tied_embeddings = field_or(json, where, "tie_word_embeddings", false);
  config.convolution_taps = field_or<std::int64_t>(json, where, "convolution_taps", 0);
  validate(config, where);
  return config;
}

}  // namespace dreamgym::internal
