#include "dreamgym/llm/checkpoint/generation_config.h"

#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

std::optional<TokenId> token_or_none(const Json& json, const std::string& where, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null()
             ? std::nullopt
             : std::optional(field_of<TokenId>(json, where, key));
}

std::vector<TokenId> read_end_tokens(const Json& json, const std::string& where) {
  const auto found = json.find("eos_token_id");
  if (found == json.end() || found->is_null()) {
    return {};
  }
  if (found->is_array()) {
    return field_of<std::vector<TokenId>>(json, where, "eos_token_id");
  }
  return {field_of<TokenId>(json, where, "eos_token_id")};
}

}  // namespace

GenerationConfig generation_config_from_json(const std::string& text, const std::string& where) {
  const Json json = parse_object(text, where);
  GenerationConfig config;
  config.begin_token = token_or_none(json, where, "bos_token_id");
  config.end_tokens = read_end_tokens(json, where);
  config.pad_token = token_or_none(json, where, "pad_token_id");
  config.sample = field_or(json, where, "do_sample", config.sample);
  config.temperature = field_or(json, where, "temperature", config.temperature);
  config.top_p = field_or(json, where, "top_p", config.top_p);
  config.top_k = field_or(json, where, "top_k", config.top_k);
  config.repetition_penalty =
      field_or(json, where, "repetition_penalty", config.repetition_penalty);
  if (!(config.temperature >= 0) || !(config.top_p > 0 && config.top_p <= 1) || config.top_k < 0 ||
      !(config.repetition_penalty > 0)) {
    throw Error(ErrorKind::kInvalidArgument,
                where +
                    ": temperature and top_k must be at least 0, top_p in (0, 1], "
                    "repetition_penalty above 0");
  }
  return config;
}

std::string generation_config_to_json(const GenerationConfig& config) {
  nlohmann::ordered_json json;
  if (config.begin_token) {
    json["bos_token_id"] = *config.begin_token;
  }
  if (config.end_tokens.size() == 1) {
    json["eos_token_id"] = config.end_tokens.front();
  } else if (!config.end_tokens.empty()) {
    json["eos_token_id"] = config.end_tokens;
  }
  if (config.pad_token) {
    json["pad_token_id"] = *config.pad_token;
  }
  json["do_sample"] = config.sample;
  json["temperature"] = config.temperature;
  json["top_p"] = config.top_p;
  json["top_k"] = config.top_k;
  json["repetition_penalty"] = config.repetition_penalty;
  return json.dump(2) + "\n";
}

}  // namespace dreamgym
