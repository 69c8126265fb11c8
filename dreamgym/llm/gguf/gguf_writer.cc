#include "dreamgym/llm/gguf/gguf_writer.h"

#include <fmt/format.h>

#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/internal/gguf_names.h"
#include "dreamgym/llm/internal/gguf_tokens.h"

namespace dreamgym {
namespace {

constexpr std::size_t kAlignment = 32;

/// The value types that are written; numbers as in the format's table.
enum ValueType : std::uint32_t { kUint32 = 4, kInt32 = 5, kFloat32 = 6, kString = 8, kArray = 9 };

/// Metadata and tensor table, as bytes.
class Table {
 public:
  void add(const std::string& key, std::int64_t value) {
    begin(key, kUint32);
    append(static_cast<std::uint32_t>(value));
  }
  void add(const std::string& key, double value) {
    begin(key, kFloat32);
    append(static_cast<float>(value));
  }
  void add(const std::string& key, const std::string& value) {
    begin(key, kString);
    append_text(value);
  }
  void add(const std::string& key, const std::vector<std::string>& values) {
    begin_array(key, kString, values.size());
    for (const std::string& value : values) {
      append_text(value);
    }
  }
  void add(const std::string& key, const std::vector<std::int32_t>& values) {
    begin_array(key, kInt32, values.size());
    for (const std::int32_t value : values) {
      append(value);
    }
  }

  template <class T>
  void append(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void append_text(const std::string& text) {
    append<std::uint64_t>(text.size());
    bytes_ += text;
  }
  [[nodiscard]] std::size_t num_values() const { return num_values_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void begin(const std::string& key, ValueType type) {
    append_text(key);
    append<std::uint32_t>(type);
    ++num_values_;
  }
  void begin_array(const std::string& key, ValueType type, std::size_t count) {
    begin(key, kArray);
    append<std::uint32_t>(type);
    append<std::uint64_t>(count);
  }

  std::string bytes_;
  std::size_t num_values_ = 0;
};

/// A line of the tensor table.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  BlockType type;
};

BlockType type_of(const WeightArray& array, BlockType wanted) {
  if (array.shape.size() < 2) {
    return BlockType::kF32;
  }
  const auto block = static_cast<std::int64_t>(block_format(wanted).num_values);
  return array.shape.back() % block == 0 ? wanted : BlockType::kF16;
}

std::size_t size_of(const Tensor& tensor) {
  const BlockFormat format = block_format(tensor.type);
  return num_values(tensor.shape) / format.num_values * format.num_bytes;
}

std::size_t aligned(std::size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// Llama 3's rule as divisors of the plain frequencies; nothing for other rules.
std::vector<float> rope_factors(const TransformerConfig& config) {
  if (config.rope_scaling.kind != RopeScaling::Kind::kLlama3) {
    return {};
  }
  TransformerConfig plain = config;
  plain.rope_scaling = {};
  const std::vector<double> frequencies = rope_frequencies(plain);
  const std::vector<double> stretched = rope_frequencies(config);
  std::vector<float> factors;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    factors.push_back(static_cast<float>(frequencies[i] / stretched[i]));
  }
  return factors;
}

/// In the order of the file: the rotary divisors if there are any, then the weights.
std::vector<Tensor> list_tensors(const TransformerWeights& weights,
                                 std::span<const float> factors,
                                 BlockType type) {
  std::vector<Tensor> tensors;
  if (!factors.empty()) {
    tensors.push_back(
        {"rope_freqs.weight", {static_cast<std::int64_t>(factors.size())}, BlockType::kF32});
  }
  for (const auto& [name, array] : weights.arrays) {
    const auto stored = gguf_name(name);
    check(stored.has_value(), "every parameter has a name in GGUF");
    tensors.push_back({*stored, array.shape, type_of(array, type)});
  }
  return tensors;
}

std::vector<float> stored_values(const std::string& name,
                                 const WeightArray& array,
                                 const TransformerConfig& config) {
  const std::int64_t heads = num_permuted_heads(name, config);
  return heads > 0 ? pairs_together(array.values, heads, config.head_dim) : array.values;
}

void add_shape(const TransformerConfig& config, Table& table) {
  const std::string prefix = config.family + ".";
  table.add(prefix + "block_count", config.num_layers);
  table.add(prefix + "context_length", config.max_position);
  table.add(prefix + "embedding_length", config.hidden_size);
  table.add(prefix + "feed_forward_length", config.intermediate_size);
  table.add(prefix + "attention.head_count", config.num_heads);
  table.add(prefix + "attention.head_count_kv", config.num_kv_heads);
  table.add(prefix + "attention.key_length", config.head_dim);
  table.add(prefix + "attention.value_length", config.head_dim);
  table.add(prefix + "attention.layer_norm_rms_epsilon", config.rms_norm_epsilon);
  table.add(prefix + "rope.dimension_count", config.head_dim);
  table.add(prefix + "rope.freq_base", config.rope_theta);
  table.add(prefix + "vocab_size", config.vocab_size);
  if (config.rope_scaling.kind == RopeScaling::Kind::kLinear) {
    table.add(prefix + "rope.scaling.type", std::string("linear"));
    table.add(prefix + "rope.scaling.factor", config.rope_scaling.factor);
  }
}

/// Rows of the embedding that no token has are filled with unused ones.
void add_vocabulary(const PretrainedVocabulary& vocabulary, std::size_t num_rows, Table& table) {
  std::vector<std::string> tokens(num_rows);
  std::vector<std::int32_t> types(num_rows, static_cast<std::int32_t>(GgufTokenType::kNormal));
  for (std::size_t id = 0; id < num_rows; ++id) {
    if (id < vocabulary.tokens.size() && !vocabulary.tokens[id].empty()) {
      tokens[id] = spell_bytes(vocabulary.tokens[id]);
    } else {
      tokens[id] = fmt::format("[PAD{}]", id);
      types[id] = static_cast<std::int32_t>(GgufTokenType::kUnused);
    }
  }
  for (const AddedToken& token : vocabulary.added) {
    const auto id = static_cast<std::size_t>(token.id);
    tokens[id] = token.text;
    types[id] = static_cast<std::int32_t>(token.special ? GgufTokenType::kControl
                                                        : GgufTokenType::kUserDefined);
  }
  std::vector<std::string> merges;
  for (const auto& merge : vocabulary.merges) {
    const auto spelled = [&](TokenId id) {
      return spell_bytes(vocabulary.tokens[static_cast<std::size_t>(id)]);
    };
    merges.push_back(spelled(merge.left) + " " + spelled(merge.right));
  }
  table.add("tokenizer.ggml.model", std::string("gpt2"));
  table.add("tokenizer.ggml.pre", std::string(gguf_cut_name(vocabulary.pre_tokenizer)));
  table.add("tokenizer.ggml.tokens", tokens);
  table.add("tokenizer.ggml.token_type", types);
  table.add("tokenizer.ggml.merges", merges);
}

void add_generation(const GenerationConfig& generation, Table& table) {
  const auto add = [&](const char* key, std::optional<TokenId> id) {
    if (id) {
      table.add(key, std::int64_t{*id});
    }
  };
  const auto& ends = generation.end_tokens;
  add("tokenizer.ggml.bos_token_id", generation.begin_token);
  add("tokenizer.ggml.eos_token_id", ends.empty() ? std::nullopt : std::optional(ends[0]));
  add("tokenizer.ggml.eot_token_id", ends.size() < 2 ? std::nullopt : std::optional(ends[1]));
  add("tokenizer.ggml.padding_token_id", generation.pad_token);
}

int file_type_of(BlockType type) {
  return type == BlockType::kF32 ? 0 : type == BlockType::kF16 ? 1 : 7;
}

void check_writable(const TransformerWeights& weights, const GgufExtras& extras) {
  const TransformerConfig& config = weights.config;
  if (config.family != "llama" && config.family != "qwen2" && config.family != "qwen3") {
    throw Error(ErrorKind::kUnsupported,
                "GGUF can't hold a model of family \"" + config.family + "\"",
                "llama, qwen2 and qwen3 can be written");
  }
  const auto rows = static_cast<std::size_t>(config.vocab_size);
  if (extras.vocabulary.tokens.size() > rows) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the vocabulary has {} tokens, the embedding {} rows",
                            extras.vocabulary.tokens.size(),
                            rows),
                "the tokenizer belongs to another model");
  }
}

Table describe_model(const TransformerWeights& weights, const GgufExtras& extras, BlockType type) {
  Table values;
  values.add("general.architecture", weights.config.family);
  values.add("general.name", extras.name);
  values.add("general.file_type", std::int64_t{file_type_of(type)});
  values.add("general.quantization_version", std::int64_t{2});
  add_shape(weights.config, values);
  add_vocabulary(extras.vocabulary, static_cast<std::size_t>(weights.config.vocab_size), values);
  add_generation(extras.generation, values);
  if (extras.chat_template) {
    values.add("tokenizer.chat_template", *extras.chat_template);
  }
  return values;
}

/// Magic, counts, metadata and tensor table, up to where the data begins.
std::string front_of(const Table& values, const std::vector<Tensor>& tensors) {
  Table front;
  front.append<std::uint32_t>(0x46554747);  // "GGUF"
  front.append<std::uint32_t>(3);
  front.append<std::uint64_t>(tensors.size());
  front.append<std::uint64_t>(values.num_values());
  Table table;
  std::size_t offset = 0;
  for (const Tensor& tensor : tensors) {
    table.append_text(tensor.name);
    table.append(static_cast<std::uint32_t>(tensor.shape.size()));
    for (std::size_t i = tensor.shape.size(); i > 0; --i) {
      table.append(tensor.shape[i - 1]);
    }
    table.append(static_cast<std::uint32_t>(tensor.type));
    table.append<std::uint64_t>(offset);
    offset += aligned(size_of(tensor));
  }
  std::string bytes = front.bytes();
  bytes.append(values.bytes()).append(table.bytes());
  bytes.resize(aligned(bytes.size()));
  return bytes;
}

}  // namespace

void write_gguf(const TransformerWeights& weights,
                const GgufExtras& extras,
                BlockType type,
                const Path& path) {
  check_writable(weights, extras);
  const std::vector<float> factors = rope_factors(weights.config);
  const std::string front =
      front_of(describe_model(weights, extras, type), list_tensors(weights, factors, type));
  write_file(path, [&](const auto& write) {
    const auto write_tensor = [&](BlockType stored, const std::vector<float>& numbers) {
      std::vector<char> bytes;
      quantize(stored, numbers, bytes);
      bytes.resize(aligned(bytes.size()));
      write({bytes.data(), bytes.size()});
    };
    write(front);
    if (!factors.empty()) {
      write_tensor(BlockType::kF32, factors);
    }
    for (const auto& [name, array] : weights.arrays) {
      write_tensor(type_of(array, type), stored_values(name, array, weights.config));
    }
  });
}

}  // namespace dreamgym
