#include "dreamgym/nn/internal/torch_transformer.h"

#include <span>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "dreamgym/nn/engine/model_arrays.h"
#include "dreamgym/nn/internal/adapter_layout.h"
#include "dreamgym/nn/internal/torch_device.h"

namespace dreamgym::internal {
namespace {

// Looks at the values, which have to outlive it and are not written.
at::Tensor view_of(std::span<const float> values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values.data()), shape);  // NOLINT(*-const-cast): from_blob's type
}

class Loader {
 public:
  Loader(const TransformerWeights& weights, at::Device device, at::ScalarType type)
      : weights_(weights), config_(weights.config), device_(device), type_(type) {}

  [[nodiscard]] at::Tensor vector(const std::string& name, std::int64_t size) const {
    return on_device(view(name, 1, size).squeeze(0), at::kFloat);
  }
  // The rows of several weights one after the other.
  [[nodiscard]] at::Tensor matrix(const std::vector<at::Tensor>& weights) const {
    return on_device(at::cat(weights), type_);
  }
  [[nodiscard]] at::Tensor view(const std::string& name, std::int64_t rows, std::int64_t columns) const {
    return view_of(engine::array_of(weights_,
                                    name,
                                    static_cast<std::size_t>(rows),
                                    static_cast<std::size_t>(columns)),
                   {rows, columns});
  }
  [[nodiscard]] at::Tensor on_device(const at::Tensor& values, at::ScalarType type) const {
    return values.to(at::TensorOptions(type).device(device_), /*non_blocking=*/false, /*copy=*/true);
  }

  [[nodiscard]] TorchInput input(const std::string& norm, const std::string& convolution) const {
    TorchInput input{.norm = vector(norm, config_.hidden_size), .convolution = {}};
    if (config_.convolution_taps > 0) {
      input.convolution =
          on_device(view(convolution, config_.convolution_taps, config_.hidden_size), at::kFloat);
    }
    return input;
  }

  [[nodiscard]] TorchLayer layer(std::int64_t index) const {
    const std::string prefix = fmt::format("model.layers.{}.", index);
    const std::int64_t queries = config_.num_heads * config_.head_dim;
    const std::int64_t keys = config_.num_kv_heads * config_.head_dim;
    const std::int64_t hidden = config_.hidden_size;
    const std::int64_t width = config_.intermediate_size;
    const auto weight = [&](const char* name, std::int64_t rows, std::int64_t columns) {
      return view(fmt::format("{}{}_proj.weight", prefix, name), rows, columns);
    };
    TorchLayer layer{
        .attention_input =
            input(prefix + "input_layernorm.weight", prefix + "attention_convolution.weight"),
        .query_key_value = matrix({weight("self_attn.q", queries, hidden),
                                   weight("self_attn.k", keys, hidden),
                                   weight("self_attn.v", keys, hidden)}),
        .bias = {},
        .query_norm = {},
        .key_norm = {},
        .attention_out = matrix({weight("self_attn.o", hidden, queries)}),
        .mlp_input =
            input(prefix + "post_attention_layernorm.weight", prefix + "mlp_convolution.weight"),
        .gate_up = matrix({weight("mlp.gate", width, hidden), weight("mlp.up", width, hidden)}),
        .down = matrix({weight("mlp.down", hidden, width)})};
    const std::string attention = prefix + "self_attn.";
    if (config_.qkv_bias) {
      layer.bias = at::cat({vector(attention + "q_proj.bias", queries),
                            vector(attention + "k_proj.bias", keys),
                            vector(attention + "v_proj.bias", keys)});
    }
    if (config_.qk_norm) {
      layer.query_norm = vector(attention + "q_norm.weight", config_.head_dim);
      layer.key_norm = vector(attention + "k_norm.weight", config_.head_dim);
    }
    return layer;
  }

 private:
  const TransformerWeights& weights_;
  const TransformerConfig& config_;
  at::Device device_;
  at::ScalarType type_;
};

TorchTerms terms_of(const std::vector<LowRankTerm>& terms,
                    std::int64_t num_rows,
                    const AdapterLayout& layout,
                    std::span<const float> flat) {
  TorchTerms joined;
  if (terms.empty()) {
    return joined;
  }
  const auto rank = static_cast<std::int64_t>(layout.rank);
  std::vector<at::Tensor> inner;
  joined.outer = at::zeros({num_rows, static_cast<std::int64_t>(terms.size()) * rank});
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const LowRankTerm& term = terms[t];
    const auto in = static_cast<std::int64_t>(term.in);
    const auto out = static_cast<std::int64_t>(term.out);
    inner.push_back(view_of(flat.subspan(term.a, layout.rank * term.in), {rank, in}));
    joined.outer.narrow(0, static_cast<std::int64_t>(term.first_column), out)
        .narrow(1, static_cast<std::int64_t>(t) * rank, rank)
        .copy_(view_of(flat.subspan(term.b, layout.rank * term.out), {out, rank}) * layout.scale);
  }
  joined.inner = at::cat(inner);
  return joined;
}

}  // namespace

TorchTransformer torch_transformer(const TransformerWeights& weights,
                                   at::Device device,
                                   at::ScalarType type) {
  const TransformerConfig& config = weights.config;
  engine::check_supported(config);
  return on_torch(device, [&] {
    const Loader loader(weights, device, type);
    TorchTransformer model;
    model.config = config;
    model.device = device;
    const auto table = [&](const std::string& name, bool rounded) {
      at::Tensor values = loader.view(name, config.vocab_size, config.hidden_size);
      return loader.on_device(rounded ? values.to(type).to(at::kFloat) : values, at::kFloat);
    };
    model.embeddings = table("model.embed_tokens.weight", config.tied_embeddings);
    model.head = config.tied_embeddings ? model.embeddings : table("lm_head.weight", true);
    model.final_norm = loader.vector("model.norm.weight", config.hidden_size);
    for (std::int64_t i = 0; i < config.num_layers; ++i) {
      model.layers.push_back(loader.layer(i));
    }
    const engine::Rotations rotations = engine::rotations_of(config);
    const auto turns = [&](std::span<const float> values) {
      return loader.on_device(view_of(values, {config.max_position, config.head_dim / 2}), at::kFloat);
    };
    model.cosines = turns(rotations.cosines);
    model.sines = turns(rotations.sines);
    return model;
  });
}

std::vector<TorchLayerTerms> torch_adapter(const LoraAdapter& adapter,
                                           const TransformerConfig& config,
                                           at::Device device) {
  const AdapterLayout layout = adapter_layout(adapter, config);
  std::vector<float> flat(layout.flat.count);
  copy_in(adapter, layout, flat.data());
  const std::int64_t heads = (config.num_heads + 2 * config.num_kv_heads) * config.head_dim;
  return on_torch(device, [&] {
    const auto terms = [&](const std::vector<LowRankTerm>& of, std::int64_t num_rows) {
      TorchTerms joined = terms_of(of, num_rows, layout, flat);
      if (joined.inner.defined()) {
        joined.inner = joined.inner.to(device);
        joined.outer = joined.outer.to(device);
      }
      return joined;
    };
    std::vector<TorchLayerTerms> layers;
    for (const LayerTerms& of : layout.layers) {
      layers.push_back({.query_key_value = terms(of.query_key_value, heads),
                        .attention_out = terms(of.attention_out, config.hidden_size),
                        .gate_up = terms(of.gate_up, 2 * config.intermediate_size),
                        .down = terms(of.down, config.hidden_size)});
    }
    return layers;
  });
}

}  // namespace dreamgym::internal
