#include "dreamgym/nn/internal/parameter_layout.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {
namespace {

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const TransformerConfig& config) : shapes_(parameter_shapes(config)) {}

  /// Appends parameters right behind each other; the block starts on a cache line.
  std::size_t block(std::initializer_list<std::string> names, ParameterKind kind) {
    constexpr std::size_t kFloatsPerLine = 16;
    layout_.count = (layout_.count + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
    const std::size_t begin = layout_.count;
    for (const std::string& name : names) {
      const auto& shape = shapes_.at(name);
      const bool vector = shape.size() == 1;
      Parameter parameter{.name = name,
                          .offset = layout_.count,
                          .rows = vector ? 1 : static_cast<std::size_t>(shape[0]),
                          .columns = static_cast<std::size_t>(vector ? shape[0] : shape[1]),
                          .kind = kind};
      layout_.count += parameter.count();
      layout_.parameters.push_back(std::move(parameter));
    }
    return begin;
  }

  ParameterLayout& layout() { return layout_; }

 private:
  std::map<std::string, std::vector<std::int64_t>> shapes_;
  ParameterLayout layout_;
};

}  // namespace

ParameterLayout parameter_layout(const TransformerConfig& config) {
  LayoutBuilder builder(config);
  const bool convolves = config.convolution_taps > 0;
  ParameterLayout& layout = builder.layout();
  layout.embedding = builder.block({"model.embed_tokens.weight"}, ParameterKind::kEmbedding);
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    LayerOffsets offsets;
    offsets.attention_gain = builder.block({at + "input_layernorm.weight"}, ParameterKind::kNorm);
    offsets.query_key_value = builder.block({at + "self_attn.q_proj.weight",
                                             at + "self_attn.k_proj.weight",
                                             at + "self_attn.v_proj.weight"},
                                            ParameterKind::kMatrix);
    if (config.qkv_bias) {
      offsets.query_key_value_bias = builder.block({at + "self_attn.q_proj.bias",
                                                    at + "self_attn.k_proj.bias",
                                                    at + "self_attn.v_proj.bias"},
                                                   ParameterKind::kBias);
    }
    if (config.qk_norm) {
      offsets.query_gain = builder.block({at + "self_attn.q_norm.weight"}, ParameterKind::kNorm);
      offsets.key_gain = builder.block({at + "self_attn.k_norm.weight"}, ParameterKind::kNorm);
    }
    offsets.attention_out = builder.block({at + "self_attn.o_proj.weight"}, ParameterKind::kMatrix);
    offsets.mlp_gain =
        builder.block({at + "post_attention_layernorm.weight"}, ParameterKind::kNorm);
    offsets.gate_up = builder.block({at + "mlp.gate_proj.weight", at + "mlp.up_proj.weight"},
                                    ParameterKind::kMatrix);
    offsets.down = builder.block({at + "mlp.down_proj.weight"}, ParameterKind::kMatrix);
    if (convolves) {
      offsets.attention_taps =
          builder.block({at + "attention_convolution.weight"}, ParameterKind::kConvolution);
      offsets.mlp_taps =
          builder.block({at + "mlp_convolution.weight"}, ParameterKind::kConvolution);
    }
    layout.layers.push_back(offsets);
  }
  layout.final_gain = builder.block({"model.norm.weight"}, ParameterKind::kNorm);
  layout.head = config.tied_embeddings
                    ? layout.embedding
                    : builder.block({"lm_head.weight"}, ParameterKind::kEmbedding);
  return layout;
}

void copy_in(const ParameterLayout& layout, const TransformerWeights& weights, float* flat) {
  for (const Parameter& parameter : layout.parameters) {
    const auto found = weights.arrays.find(parameter.name);
    if (found == weights.arrays.end() || found->second.values.size() != parameter.count()) {
      throw Error(
          ErrorKind::kInvalidArgument,
          "weights \"" + weights.version + "\": array \"" + parameter.name + "\" has " +
              (found == weights.arrays.end() ? std::string("no")
                                             : std::to_string(found->second.values.size())) +
              " values, expected " + std::to_string(parameter.count()));
    }
    std::ranges::copy(found->second.values, flat + parameter.offset);
  }
}

void copy_out(const ParameterLayout& layout, const float* flat, TransformerWeights& weights) {
  const auto shapes = parameter_shapes(weights.config);
  for (const Parameter& parameter : layout.parameters) {
    const float* begin = flat + parameter.offset;
    weights.arrays[parameter.name] = {shapes.at(parameter.name),
                                      std::vector<float>(begin, begin + parameter.count())};
  }
}

}  // namespace dreamgym::internal
