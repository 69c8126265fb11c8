#include "dreamgym/llm/model_text.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "dreamgym/llm/gguf/gguf_model.h"
#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr TokenId kFirstLlamaMarker = 128000;
constexpr int kNumLlamaMarkers = 256;

/// The first markers; the rest are reserved, counted from the last number here.
constexpr std::array<std::string_view, 11> kLlamaMarkers = {"<|begin_of_text|>",
                                                            "<|end_of_text|>",
                                                            "<|reserved_special_token_0|>",
                                                            "<|reserved_special_token_1|>",
                                                            "<|finetune_right_pad_id|>",
                                                            "<|reserved_special_token_2|>",
                                                            "<|start_header_id|>",
                                                            "<|end_header_id|>",
                                                            "<|eom_id|>",
                                                            "<|eot_id|>",
                                                            "<|python_tag|>"};
constexpr int kFirstReserved = 3;  // of those after the named ones

PretrainedTokenizer read_folder_tokenizer(const Path& folder) {
  const Path json = folder / "tokenizer.json";
  const Path tiktoken = folder / "tokenizer.model";
  if (std::filesystem::exists(json) || !std::filesystem::exists(tiktoken)) {
    return read_pretrained_tokenizer(json);
  }
  return PretrainedTokenizer(
      vocabulary_from_tiktoken(read_file(tiktoken), llama3_layout(), tiktoken.string()));
}

/// "chat_template" is a text, or a list of named ones.
std::optional<std::string> template_of(const Json& config, const std::string& where) {
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) {
    return std::nullopt;
  }
  if (!found->is_array()) {
    return field_of<std::string>(config, where, "chat_template");
  }
  for (const Json& entry : *found) {
    if (entry.is_object() && entry.value("name", Json()) == "default") {
      return field_of<std::string>(entry, where, "template");
    }
  }
  return std::nullopt;
}

std::optional<std::string> read_chat_template(const Path& folder) {
  if (const Path jinja = folder / "chat_template.jinja"; std::filesystem::exists(jinja)) {
    return read_file(jinja);
  }
  const Path config = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(config)) {
    return std::nullopt;
  }
  return template_of(parse_object(read_file(config), config.string()), config.string());
}

}  // namespace

std::string llama3_layout() {
  Json tokens = Json::array();
  for (int i = 0; i < kNumLlamaMarkers; ++i) {
    const auto named = static_cast<int>(kLlamaMarkers.size());
    const std::string text =
        i < named ? std::string(kLlamaMarkers[static_cast<std::size_t>(i)])
                  : fmt::format("<|reserved_special_token_{}|>", i - named + kFirstReserved);
    tokens.push_back({{"id", kFirstLlamaMarker + i}, {"content", text}, {"special", true}});
  }
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", kLlama3Pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return Json{
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json::array({split, bytes})}}},
      {"added_tokens", tokens}}
      .dump();
}

ModelText load_model_text(const Path& model) {
  if (model.extension() == ".gguf") {
    const GgufFile file(model);
    return {PretrainedTokenizer(gguf_vocabulary(file)),
            gguf_chat_template(file),
            gguf_generation_config(file)};
  }
  const Path generation = model / "generation_config.json";
  return {read_folder_tokenizer(model),
          read_chat_template(model),
          std::filesystem::exists(generation)
              ? generation_config_from_json(read_file(generation), generation.string())
              : GenerationConfig{}};
}

}  // namespace dreamgym
