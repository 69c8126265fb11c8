#include "dreamgym/nn/engine/packed_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/number_type.h"

namespace dreamgym::engine {
namespace {

// A weight of a given shape, or an error that names it.
std::span<const float> array_of(const TransformerWeights& weights,
                                const std::string& name,
                                std::size_t rows,
                                std::size_t columns) {
  const auto found = weights.arrays.find(name);
  if (found == weights.arrays.end()) {
    throw Error(ErrorKind::kInvalidArgument, fmt::format("weights have no array \"{}\"", name));
  }
  if (found->second.values.size() != rows * columns) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("array \"{}\" has {} values, the config says {} x {}",
                            name,
                            found->second.values.size(),
                            rows,
                            columns));
  }
  return found->second.values;
}

// Rows with zeros after them.
AlignedFloats padded_rows(std::span<const float> values, std::size_t rows, std::size_t stride) {
  AlignedFloats padded(rows * stride);
  const std::size_t width = values.size() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * width),
                width,
                padded.begin() + static_cast<std::ptrdiff_t>(r * stride));
  }
  return padded;
}

PackedMatrix empty_matrix(NumberFormat format, std::size_t num_columns, std::size_t depth) {
  PackedMatrix matrix;
  matrix.format = format;
  matrix.num_panels = (num_columns + kPanelWidth - 1) / kPanelWidth;
  matrix.depth = depth;
  const std::size_t padded = format == NumberFormat::kFloat32 ? depth : paired_depth(depth);
  matrix.words.resize(matrix.num_panels * padded / numbers_a_word(format) * kPanelWidth);
  if (format == NumberFormat::kInt8) {
    matrix.scales.resize(matrix.columns() * num_scale_groups(depth));
  }
  return matrix;
}

void set_pairs(PackedMatrix& matrix, std::size_t column, const float* values) {
  auto* halves = reinterpret_cast<char*>(matrix.words.data());
  const std::size_t first = column / kPanelWidth * paired_depth(matrix.depth) / 2;
  for (std::size_t k = 0; k < matrix.depth; ++k) {
    const std::uint16_t half = to_bfloat16(values[k]);
    const std::size_t word = (first + k / 2) * kPanelWidth + column % kPanelWidth;
    std::memcpy(halves + 4 * word + 2 * (k % 2), &half, sizeof(half));
  }
}

void set_bytes(PackedMatrix& matrix, std::size_t column, const float* values) {
  constexpr float kLargest = 127.0F;
  const std::size_t panel = column / kPanelWidth;
  const std::size_t lane = column % kPanelWidth;
  const std::size_t num_groups = num_scale_groups(matrix.depth);
  auto* bytes = reinterpret_cast<std::int8_t*>(matrix.words.data());
  const std::size_t first = panel * paired_depth(matrix.depth) / 4;
  for (std::size_t group = 0; group < num_groups; ++group) {
    const std::size_t begin = group * kScaleGroup;
    const std::size_t end = std::min(begin + kScaleGroup, matrix.depth);
    float largest = 0;
    for (std::size_t k = begin; k < end; ++k) {
      largest = std::max(largest, std::abs(values[k]));
    }
    const float scale = largest / kLargest;
    matrix.scales[(panel * num_groups + group) * kPanelWidth + lane] = scale;
    for (std::size_t k = begin; scale > 0 && k < end; ++k) {
      const std::size_t word = (first + k / 4) * kPanelWidth + lane;
      bytes[4 * word + k % 4] = static_cast<std::int8_t>(std::lround(values[k] / scale));
    }
  }
}

void set_column(PackedMatrix& matrix, std::size_t column, const float* values) {
  if (matrix.format == NumberFormat::kBFloat16) {
    set_pairs(matrix, column, values);
    return;
  }
  if (matrix.format == NumberFormat::kInt8) {
    set_bytes(matrix, column, values);
    return;
  }
  float* panel = matrix.words.data() + column / kPanelWidth * matrix.depth * kPanelWidth;
  for (std::size_t k = 0; k < matrix.depth; ++k) {
    panel[k * kPanelWidth + column % kPanelWidth] = values[k];
  }
}

// The rows of several weights [out, depth] one after the other.
PackedMatrix pack(NumberFormat format,
                  const std::vector<std::span<const float>>& weights,
                  std::size_t depth) {
  std::size_t num_columns = 0;
  for (const auto& weight : weights) {
    num_columns += weight.size() / depth;
  }
  PackedMatrix matrix = empty_matrix(format, num_columns, depth);
  std::size_t column = 0;
  for (const auto& weight : weights) {
    for (std::size_t row = 0; row < weight.size() / depth; ++row) {
      set_column(matrix, column++, weight.data() + row * depth);
    }
  }
  return matrix;
}

PackedMatrix pack_gate_up(NumberFormat format,
                          std::span<const float> gate,
                          std::span<const float> up,
                          std::size_t depth) {
  constexpr std::size_t kHalf = kPanelWidth / 2;
  const std::size_t width = gate.size() / depth;
  PackedMatrix matrix = empty_matrix(format, (width + kHalf - 1) / kHalf * kPanelWidth, depth);
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t column = i / kHalf * kPanelWidth + i % kHalf;
    set_column(matrix, column, gate.data() + i * depth);
    set_column(matrix, column + kHalf, up.data() + i * depth);
  }
  return matrix;
}

void check_supported(const TransformerConfig& config) {
  const bool positive = config.vocab_size > 0 && config.hidden_size > 0 && config.num_layers > 0 &&
                        config.num_heads > 0 && config.num_kv_heads > 0 && config.head_dim > 0 &&
                        config.intermediate_size > 0 && config.max_position > 0;
  if (!positive || config.num_heads % config.num_kv_heads != 0 || config.head_dim % 2 != 0 ||
      config.head_dim > static_cast<std::int64_t>(kDepthPiece) || config.convolution_taps < 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the generation engine can't run {} heads over {} key-value heads of "
                            "dimension {} with {} convolution taps; expected a multiple, an even "
                            "dimension up to {} and sizes above 0",
                            config.num_heads,
                            config.num_kv_heads,
                            config.head_dim,
                            config.convolution_taps,
                            kDepthPiece));
  }
  if (config.qk_norm && config.head_dim % static_cast<std::int64_t>(kSumLanes) != 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the generation engine can't normalise heads of dimension {}; expected "
                            "a multiple of {}",
                            config.head_dim,
                            kSumLanes));
  }
}

// Angles in double, so that late positions are as exact as early ones.
void fill_rotations(PackedTransformer& model) {
  const std::size_t half = static_cast<std::size_t>(model.config.head_dim) / 2;
  const auto positions = static_cast<std::size_t>(model.config.max_position);
  model.cosines.resize(positions * half);
  model.sines.resize(positions * half);
  const std::vector<double> frequencies = rope_frequencies(model.config);
  for (std::size_t i = 0; i < half; ++i) {
    for (std::size_t position = 0; position < positions; ++position) {
      const double angle = static_cast<double>(position) * frequencies[i];
      model.cosines[position * half + i] = static_cast<float>(std::cos(angle));
      model.sines[position * half + i] = static_cast<float>(std::sin(angle));
    }
  }
}

class Packer {
 public:
  Packer(const TransformerWeights& weights, NumberFormat format, std::size_t hidden_stride)
      : weights_(weights),
        format_(format),
        config_(weights.config),
        hidden_(static_cast<std::size_t>(config_.hidden_size)),
        stride_(hidden_stride) {}

  [[nodiscard]] AlignedFloats hidden_rows(const std::string& name, std::size_t rows) const {
    return padded_rows(array_of(weights_, name, rows, hidden_), rows, stride_);
  }

  [[nodiscard]] PackedInput input(const std::string& norm, const std::string& convolution) const {
    PackedInput packed{.norm = hidden_rows(norm, 1), .convolution = {}};
    if (config_.convolution_taps > 0) {
      packed.convolution =
          hidden_rows(convolution, static_cast<std::size_t>(config_.convolution_taps));
    }
    return packed;
  }

  [[nodiscard]] PackedLayer layer(std::int64_t index) const {
    const std::string prefix = fmt::format("model.layers.{}.", index);
    const auto queries = static_cast<std::size_t>(config_.num_heads * config_.head_dim);
    const auto keys = static_cast<std::size_t>(config_.num_kv_heads * config_.head_dim);
    const auto width = static_cast<std::size_t>(config_.intermediate_size);
    const auto matrix = [&](const char* name, std::size_t rows, std::size_t columns) {
      return array_of(weights_, fmt::format("{}{}_proj.weight", prefix, name), rows, columns);
    };
    PackedLayer layer{
        .attention_input =
            input(prefix + "input_layernorm.weight", prefix + "attention_convolution.weight"),
        .query_key_value = pack(format_,
                                {matrix("self_attn.q", queries, hidden_),
                                 matrix("self_attn.k", keys, hidden_),
                                 matrix("self_attn.v", keys, hidden_)},
                                hidden_),
        .bias = {},
        .query_norm = {},
        .key_norm = {},
        .attention_out = pack(format_, {matrix("self_attn.o", hidden_, queries)}, queries),
        .mlp_input =
            input(prefix + "post_attention_layernorm.weight", prefix + "mlp_convolution.weight"),
        .gate_up = pack_gate_up(format_,
                                matrix("mlp.gate", width, hidden_),
                                matrix("mlp.up", width, hidden_),
                                hidden_),
        .down = pack(format_, {matrix("mlp.down", hidden_, width)}, width)};
    add_head_vectors(prefix + "self_attn.", layer);
    return layer;
  }

 private:
  // Biases of the heads and the weights of their norms, where the family has them.
  void add_head_vectors(const std::string& attention, PackedLayer& layer) const {
    const auto head_dim = static_cast<std::size_t>(config_.head_dim);
    const auto vector = [&](const std::string& name, std::size_t size) {
      return array_of(weights_, attention + name, 1, size);
    };
    if (config_.qkv_bias) {
      const auto queries = static_cast<std::size_t>(config_.num_heads) * head_dim;
      const auto keys = static_cast<std::size_t>(config_.num_kv_heads) * head_dim;
      layer.bias.resize(layer.query_key_value.columns());
      std::ranges::copy(vector("q_proj.bias", queries), layer.bias.begin());
      std::ranges::copy(vector("k_proj.bias", keys), layer.bias.data() + queries);
      std::ranges::copy(vector("v_proj.bias", keys), layer.bias.data() + queries + keys);
    }
    if (config_.qk_norm) {
      const auto query = vector("q_norm.weight", head_dim);
      const auto key = vector("k_norm.weight", head_dim);
      layer.query_norm.assign(query.begin(), query.end());
      layer.key_norm.assign(key.begin(), key.end());
    }
  }

  const TransformerWeights& weights_;
  NumberFormat format_;
  const TransformerConfig& config_;
  std::size_t hidden_;
  std::size_t stride_;
};

}  // namespace

PackedTransformer pack_transformer(const TransformerWeights& weights, NumberFormat format) {
  const TransformerConfig& config = weights.config;
  check_supported(config);
  PackedTransformer model;
  model.config = config;
  model.version = weights.version;
  const auto hidden = static_cast<std::size_t>(config.hidden_size);
  const auto vocabulary = static_cast<std::size_t>(config.vocab_size);
  model.hidden_stride = round_up(hidden, kPanelWidth);
  const Packer packer(weights, format, model.hidden_stride);
  model.embeddings = packer.hidden_rows("model.embed_tokens.weight", vocabulary);
  const std::string head_name =
      config.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight";
  model.head = pack(format, {array_of(weights, head_name, vocabulary, hidden)}, hidden);
  if (!config.tied_embeddings) {
    model.head_rows = packer.hidden_rows(head_name, vocabulary);
  }
  model.final_norm = packer.hidden_rows("model.norm.weight", 1);
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    model.layers.push_back(packer.layer(i));
  }
  fill_rotations(model);
  return model;
}

}  // namespace dreamgym::engine
