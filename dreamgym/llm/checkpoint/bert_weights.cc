#include "dreamgym/llm/checkpoint/bert_weights.h"

#include <fmt/format.h>

#include <filesystem>

#include "dreamgym/llm/checkpoint/weight_files.h"
#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              where + ": " + what,
              "sentence encoders of type bert with gelu, absolute positions and mean pooling run");
}

void expect_text(const Json& json, const std::string& where, const char* key, const char* wanted) {
  const auto value = field_or<std::string>(json, where, key, wanted);
  if (value != wanted) {
    refuse(where, fmt::format("{} is \"{}\"", key, shorten(value, 60)));
  }
}

std::int64_t size_of(const Json& json, const std::string& where, const char* key) {
  const auto value = field_of<std::int64_t>(json, where, key);
  if (value < 1 || value > (1 << 24)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: {} is {}, expected 1 to {}", where, key, value, 1 << 24));
  }
  return value;
}

void check_pooling(const Path& folder) {
  const Path path = folder / "1_Pooling" / "config.json";
  if (!std::filesystem::exists(path)) {
    return;
  }
  const Json json = parse_object(read_file(path), path.string());
  for (const auto& [key, value] : json.items()) {
    const bool wanted = key == "pooling_mode_mean_tokens";
    if (key.starts_with("pooling_mode_") && value.is_boolean() && value.get<bool>() != wanted) {
      refuse(path.string(), key + " is " + value.dump());
    }
  }
}

BertConfig read_config(const Path& folder) {
  const Path path = folder / "config.json";
  const std::string where = path.string();
  const Json json = parse_object(read_file(path), where);
  expect_text(json, where, "model_type", "bert");
  expect_text(json, where, "hidden_act", "gelu");
  expect_text(json, where, "position_embedding_type", "absolute");
  BertConfig config;
  config.vocab_size = size_of(json, where, "vocab_size");
  config.hidden_size = size_of(json, where, "hidden_size");
  config.num_layers = size_of(json, where, "num_hidden_layers");
  config.num_heads = size_of(json, where, "num_attention_heads");
  config.intermediate_size = size_of(json, where, "intermediate_size");
  config.max_position = size_of(json, where, "max_position_embeddings");
  config.layer_norm_epsilon = field_or(json, where, "layer_norm_eps", config.layer_norm_epsilon);
  if (config.hidden_size % config.num_heads != 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: hidden_size {} is no multiple of num_attention_heads {}",
                            where,
                            config.hidden_size,
                            config.num_heads));
  }
  config.max_tokens = config.max_position;
  const Path sentence = folder / "sentence_bert_config.json";
  if (std::filesystem::exists(sentence)) {
    config.max_tokens = std::min(config.max_position,
                                 size_of(parse_object(read_file(sentence), sentence.string()),
                                         sentence.string(),
                                         "max_seq_length"));
  }
  return config;
}

void add_dense(std::map<std::string, std::vector<std::int64_t>>& shapes,
               const std::string& name,
               std::int64_t out,
               std::int64_t in) {
  shapes[name + ".weight"] = {out, in};
  shapes[name + ".bias"] = {out};
}

std::map<std::string, std::vector<std::int64_t>> array_shapes(const BertConfig& config) {
  const std::int64_t hidden = config.hidden_size;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  const auto add_norm = [&](const std::string& name) {
    shapes[name + ".LayerNorm.weight"] = {hidden};
    shapes[name + ".LayerNorm.bias"] = {hidden};
  };
  shapes["embeddings.word_embeddings.weight"] = {config.vocab_size, hidden};
  shapes["embeddings.position_embeddings.weight"] = {config.max_position, hidden};
  add_norm("embeddings");
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string at = fmt::format("encoder.layer.{}.", layer);
    for (const char* part : {"query", "key", "value"}) {
      add_dense(shapes, at + "attention.self." + part, hidden, hidden);
    }
    add_dense(shapes, at + "attention.output.dense", hidden, hidden);
    add_norm(at + "attention.output");
    add_dense(shapes, at + "intermediate.dense", config.intermediate_size, hidden);
    add_dense(shapes, at + "output.dense", hidden, config.intermediate_size);
    add_norm(at + "output");
  }
  return shapes;
}

constexpr const char* kSegments = "embeddings.token_type_embeddings.weight";

}  // namespace

bool is_bert(const Path& folder) {
  const Path config = folder / "config.json";
  if (!std::filesystem::exists(config)) {
    return false;
  }
  const Json json = parse_object(read_file(config), config.string());
  return field_or<std::string>(json, config.string(), "model_type", "") == "bert";
}

BertWeights load_bert(const Path& folder) {
  BertWeights weights{read_config(folder), {}};
  check_pooling(folder);
  const WeightFiles files(folder);
  auto shapes = array_shapes(weights.config);
  for (const auto& [stored, entry] : files.arrays()) {
    const std::string name = stored.starts_with("bert.") ? stored.substr(5) : stored;
    if (name == kSegments) {
      // Only the first segment's row is ever used; how many there are does not matter.
      shapes[name] = {entry.array.shape.empty() ? 0 : entry.array.shape[0],
                      weights.config.hidden_size};
    }
    const auto shape = shapes.find(name);
    if (shape == shapes.end()) {
      continue;  // the pooler, position ids and heads of training
    }
    if (entry.array.shape != shape->second) {
      throw Error(ErrorKind::kCorrupt,
                  fmt::format("{}: array \"{}\" has shape {}, config.json says {}",
                              entry.file,
                              stored,
                              shape_text(entry.array.shape),
                              shape_text(shape->second)));
    }
    weights.arrays.emplace(name, widened(entry.array, stored, entry.file));
  }
  shapes.try_emplace(kSegments);
  for (const auto& [name, shape] : shapes) {
    if (!weights.arrays.contains(name) || weights.arrays.at(name).values.empty()) {
      throw Error(ErrorKind::kCorrupt, folder.string() + ": array \"" + name + "\" is missing");
    }
  }
  return weights;
}

}  // namespace dreamgym
