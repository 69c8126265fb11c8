#include "dreamgym/nn/engine/packed_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "dreamgym/nn/engine/model_arrays.h"

namespace dreamgym::engine {
namespace {

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

PackedMatrix pack_gate_up(NumberFormat format,
                          std::span<const float> gate,
                          std::span<const float> up,
                          std::size_t depth) {
  const std::size_t width = gate.size() / depth;
  PackedMatrix matrix =
      empty_matrix(format, round_up(width, kPanelWidth / 2) * 2, depth);
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t column = gate_column(i);
    set_column(matrix, column, gate.subspan(i * depth, depth));
    set_column(matrix, column + kPanelWidth / 2, up.subspan(i * depth, depth));
  }
  return matrix;
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
        .query_key_value = pack_rows(format_,
                                {matrix("self_attn.q", queries, hidden_),
                                 matrix("self_attn.k", keys, hidden_),
                                 matrix("self_attn.v", keys, hidden_)},
                                hidden_),
        .bias = {},
        .query_norm = {},
        .key_norm = {},
        .attention_out = pack_rows(format_, {matrix("self_attn.o", hidden_, queries)}, queries),
        .mlp_input =
            input(prefix + "post_attention_layernorm.weight", prefix + "mlp_convolution.weight"),
        .gate_up = pack_gate_up(format_,
                                matrix("mlp.gate", width, hidden_),
                                matrix("mlp.up", width, hidden_),
                                hidden_),
        .down = pack_rows(format_, {matrix("mlp.down", hidden_, width)}, width)};
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
  const auto hidden = static_cast<std::size_t>(config.hidden_size);
  const auto vocabulary = static_cast<std::size_t>(config.vocab_size);
  model.hidden_stride = round_up(hidden, kPanelWidth);
  const Packer packer(weights, format, model.hidden_stride);
  model.embeddings = packer.hidden_rows("model.embed_tokens.weight", vocabulary);
  const std::string head_name =
      config.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight";
  model.head = pack_rows(format, {array_of(weights, head_name, vocabulary, hidden)}, hidden);
  if (!config.tied_embeddings) {
    model.head_rows = packer.hidden_rows(head_name, vocabulary);
  }
  model.final_norm = packer.hidden_rows("model.norm.weight", 1);
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    model.layers.push_back(packer.layer(i));
  }
  model.rotations = rotations_of(config);
  return model;
}

}  // namespace dreamgym::engine
