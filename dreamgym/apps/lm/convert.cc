#include "dreamgym/apps/lm/convert.h"

#include <filesystem>
#include <map>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/llm/checkpoint/bert_weights.h"
#include "dreamgym/llm/gguf/gguf_file.h"
#include "dreamgym/llm/gguf/gguf_writer.h"
#include "dreamgym/llm/pretrained_model.h"

namespace dreamgym::lm {
namespace {

bool is_gguf(const Path& path) {
  return path.extension() == ".gguf";
}

const char* scaling_name(RopeScaling::Kind kind) {
  return kind == RopeScaling::Kind::kNone     ? "none"
         : kind == RopeScaling::Kind::kLinear ? "linear"
                                              : "llama3";
}

std::string template_name(const ModelLanguage& language, const std::string& model) {
  if (!language.chat_template) {
    return "none";
  }
  try {
    return std::string(chat_template_name(chat_template_of(language, "", model)));
  } catch (const Error&) {
    return "unknown";  // `lm chat` says what it looks like
  }
}

Json describe_encoder(const std::string& model) {
  const BertConfig config = load_bert(model).config;
  return {{"model", model},
          {"family", "bert"},
          {"layers", config.num_layers},
          {"hidden_size", config.hidden_size},
          {"heads", config.num_heads},
          {"vocab_size", config.vocab_size},
          {"max_tokens", config.max_tokens}};
}

/// How many tensors of each number type a file holds.
Json tensor_types(const Path& model) {
  std::map<std::string, int> counts;
  const GgufFile file(model);
  for (const auto& [name, tensor] : file.tensors()) {
    ++counts[std::string(tensor.format.name)];
  }
  return counts;
}

NumberType number_type(const std::string& name) {
  static const std::map<std::string, NumberType> kTypes = {{"", NumberType::kFloat32},
                                                           {"f32", NumberType::kFloat32},
                                                           {"f16", NumberType::kFloat16},
                                                           {"bf16", NumberType::kBFloat16}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                "type \"" + shorten(name, 20) + "\" for a folder; expected f32, f16 or bf16");
  }
  return found->second;
}

BlockType block_type(const std::string& name) {
  static const std::map<std::string, BlockType> kTypes = {{"", BlockType::kF32},
                                                          {"f32", BlockType::kF32},
                                                          {"f16", BlockType::kF16},
                                                          {"q8_0", BlockType::kQ8_0}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                "type \"" + shorten(name, 20) + "\" for a .gguf file; expected f32, f16 or q8_0");
  }
  return found->second;
}

void write_gguf_model(const TransformerWeights& weights,
                      const ModelLanguage& language,
                      const ConvertOptions& options) {
  if (!language.pretrained) {
    throw Error(ErrorKind::kUnsupported,
                options.model + ": GGUF has no place for this model's tokenizer",
                "write a folder instead");
  }
  write_gguf(weights,
             {.name = weights.version,
              .vocabulary = language.pretrained->vocabulary(),
              .chat_template = language.chat_template,
              .generation = language.generation},
             block_type(options.type),
             options.out);
}

}  // namespace

Json describe(const std::string& model) {
  if (std::filesystem::is_directory(model) && is_bert(model)) {
    return describe_encoder(model);
  }
  const TransformerConfig config = load_model_config(model);
  Json said{{"model", model},
            {"family", config.family},
            {"parameters", num_parameters(config)},
            {"layers", config.num_layers},
            {"hidden_size", config.hidden_size},
            {"heads", config.num_heads},
            {"kv_heads", config.num_kv_heads},
            {"head_dim", config.head_dim},
            {"intermediate_size", config.intermediate_size},
            {"vocab_size", config.vocab_size},
            {"max_context_tokens", config.max_position},
            {"rope_theta", config.rope_theta},
            {"rope_scaling", scaling_name(config.rope_scaling.kind)},
            {"tied_embeddings", config.tied_embeddings}};
  if (is_gguf(model)) {
    said["tensor_types"] = tensor_types(model);
  }
  if (has_tokenizer(model)) {
    const ModelLanguage language = load_model_language(model);
    said["tokenizer_size"] = language.tokenizer->vocabulary_size();
    said["chat_template"] = template_name(language, model);
    said["end_tokens"] = language.generation.end_tokens;
  }
  return said;
}

void convert(const ConvertOptions& options) {
  const Path out = options.out;
  const bool to_gguf = is_gguf(out);
  const NumberType folder_type = to_gguf ? NumberType::kFloat32 : number_type(options.type);
  TransformerWeights weights = load_model_weights(options.model);
  if (!options.adapter.empty()) {
    merge_adapter(options.adapter, weights);
  }
  if (to_gguf) {
    write_gguf_model(weights, load_model_language(options.model), options);
    return;
  }
  if (std::filesystem::exists(out) &&
      std::filesystem::equivalent(out, Path(options.model))) {
    throw Error(ErrorKind::kInvalidArgument,
                options.out + ": is the model that is being read",
                "write to another folder");
  }
  save_weights(weights, out.string(), folder_type);
  if (has_tokenizer(options.model)) {
    write_language(load_model_language(options.model), out);
  }
}

}  // namespace dreamgym::lm
