#include "dreamgym/llm/pretrained_model.h"

#include <fmt/format.h>

#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "dreamgym/llm/internal/json_fields.h"
#include "dreamgym/llm/model_text.h"

namespace dreamgym {
namespace {

bool is_gguf(const Path& model) {
  return model.extension() == ".gguf";
}

void check_there(const Path& model) {
  if (is_gguf(model) ? !std::filesystem::is_regular_file(model)
                     : !std::filesystem::is_directory(model)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("no model at {}", model.string()),
                "name a .gguf file, or a folder that holds config.json, model.safetensors and "
                "tokenizer.json");
  }
}

// Our own family cuts texts in its own way.
bool is_nano(const Path& model) {
  const Path config = model / "config.json";
  if (is_gguf(model) || !std::filesystem::exists(config)) {
    return false;
  }
  const auto json = parse_object(read_file(config), config.string());
  return field_or<std::string>(json, config.string(), "model_type", "") ==
         TransformerConfig{}.family;
}

}  // namespace

bool has_tokenizer(const Path& model) {
  return is_gguf(model) || std::filesystem::exists(model / "tokenizer.json") ||
         std::filesystem::exists(model / "tokenizer.model");
}

ModelLanguage load_model_language(const Path& model) {
  check_there(model);
  ModelLanguage language;
  if (is_nano(model)) {
    language.tokenizer =
        std::make_shared<const BpeTokenizer>(read_tokenizer(model / "tokenizer.json"));
    return language;
  }
  ModelText text = load_model_text(model);
  language.pretrained = std::make_shared<const PretrainedTokenizer>(std::move(text.tokenizer));
  language.tokenizer = language.pretrained;
  language.chat_template = std::move(text.chat_template);
  language.generation = std::move(text.generation);
  return language;
}

TransformerWeights load_model_weights(const Path& model) {
  check_there(model);
  TransformerWeights weights;
  if (is_gguf(model)) {
    weights = gguf_weights(GgufFile(model));
  } else {
    weights = load_weights(model.string());
  }
  if (weights.version.empty()) {
    weights.version = std::filesystem::absolute(model).lexically_normal().filename().string();
  }
  return weights;
}

TransformerConfig load_model_config(const Path& model) {
  check_there(model);
  if (is_gguf(model)) {
    return gguf_config(GgufFile(model));
  }
  const Path config = model / "config.json";
  return config_from_json(read_file(config), config.string());
}

PretrainedModel load_pretrained_model(const Path& model) {
  PretrainedModel loaded{load_model_weights(model), load_model_language(model)};
  check_vocabulary(loaded.language, loaded.weights.config, model.string());
  return loaded;
}

void check_vocabulary(const ModelLanguage& language,
                      const TransformerConfig& config,
                      const std::string& model) {
  const auto size = static_cast<std::int64_t>(language.tokenizer->vocabulary_size());
  if (size > config.vocab_size) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: the tokenizer knows {} tokens, the model only {}",
                            model,
                            size,
                            config.vocab_size),
                "the two belong to different models");
  }
}

void merge_adapter(const Path& folder, TransformerWeights& weights) {
  merge_lora(load_lora(folder.string()), weights);
  weights.version += '+';
  weights.version += folder.filename().string();
}

ChatTemplate chat_template_of(const ModelLanguage& language,
                              const std::string& name,
                              const std::string& model) {
  if (!name.empty()) {
    return chat_template_named(name);
  }
  if (!language.chat_template) {
    throw Error(ErrorKind::kUnsupported,
                model + ": the model says nothing about its chat format",
                "name one: chatml, smollm2, llama3, llama3_1, llama3_2, qwen2_5 or qwen3");
  }
  return recognise_chat_template(*language.chat_template, model);
}

std::vector<TokenId> chat_tokens(const ModelLanguage& language, const RenderedChat& chat) {
  return language.pretrained ? language.pretrained->encode_with_markers(chat.text, chat.contents)
                             : language.tokenizer->encode_with_markers(chat.text);
}

}  // namespace dreamgym
