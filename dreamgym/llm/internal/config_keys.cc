#include "dreamgym/llm/internal/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

/// What TransformerConfig holds, or what is written anew.
constexpr std::array<std::string_view, 19> kRead = {"architectures",
                                                    "model_type",
                                                    "vocab_size",
                                                    "hidden_size",
                                                    "num_hidden_layers",
                                                    "num_attention_heads",
                                                    "num_key_value_heads",
                                                    "head_dim",
                                                    "intermediate_size",
                                                    "max_position_embeddings",
                                                    "rope_theta",
                                                    "rope_scaling",
                                                    "rope_parameters",
                                                    "rms_norm_eps",
                                                    "tie_word_embeddings",
                                                    "hidden_act",
                                                    "torch_dtype",
                                                    "dtype",
                                                    "convolution_taps"};

/// Known to change nothing here, though the name sounds as if.
constexpr std::array<std::string_view, 6> kHarmless = {"attention_dropout",
                                                       "initializer_range",
                                                       "max_window_layers",
                                                       "sliding_window",
                                                       "use_sliding_window",
                                                       "layer_types"};

/// Words in the name of a key that changes the computation, in the families we know of.
constexpr std::array<std::string_view, 15> kTelling = {"scal",
                                                       "softcap",
                                                       "multiplier",
                                                       "window",
                                                       "expert",
                                                       "moe",
                                                       "rotary",
                                                       "rope",
                                                       "norm",
                                                       "bias",
                                                       "quant",
                                                       "act",
                                                       "alibi",
                                                       "sink",
                                                       "pretraining_tp"};

bool is_any_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Null, false, 0, 1 or empty: a value that switches nothing on.
bool is_neutral(const Json& value) {
  return value.is_null() || value == false || value == 0 || value == 1 ||
         (value.is_structured() && value.empty());
}

[[noreturn]] void refuse(const std::string& where, const std::string& name, const Json& value) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: \"{}\" is {}, which changes what the model computes in a way that "
                          "is not supported",
                          where,
                          shorten(name, 80),
                          json_excerpt(value)),
              "supported are plain Llama, Qwen2 and Qwen3 models, without quantisation and "
              "without windows in their attention");
}

/// A window matters where it is on for some layer and narrower than the context.
void check_window(const Json& json, const TransformerConfig& config, const std::string& where) {
  const auto window = json.find("sliding_window");
  const bool is_on = json.value("use_sliding_window", Json(false)) == true &&
                     json.value("max_window_layers", Json(0)) < config.num_layers;
  if (is_on && window != json.end() && window->is_number() &&
      window->get<double>() < static_cast<double>(config.max_position)) {
    refuse(where, "sliding_window", *window);
  }
  if (const auto types = json.find("layer_types"); types != json.end() && types->is_array()) {
    const auto other =
        std::ranges::find_if(*types, [](const Json& type) { return type != "full_attention"; });
    if (other != types->end()) {
      refuse(where, "layer_types", *other);
    }
  }
}

}  // namespace

std::string keep_other_keys(const Json& json,
                            const TransformerConfig& config,
                            const std::string& where) {
  if (const auto act = json.find("hidden_act"); act != json.end() && *act != "silu") {
    refuse(where, "hidden_act", *act);
  }
  check_window(json, config, where);
  Json kept = Json::object();
  for (const auto& [name, value] : json.items()) {
    if (is_any_of(name, kRead)) {
      continue;
    }
    const bool tells =
        std::ranges::any_of(kTelling, [&](std::string_view word) { return contains(name, word); });
    if (tells && !is_any_of(name, kHarmless) && !is_neutral(value)) {
      refuse(where, name, value);
    }
    kept[name] = value;
  }
  return kept.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dreamgym
