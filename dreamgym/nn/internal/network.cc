#include "dreamgym/nn/internal/network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {
namespace {

// Rows of the MLP handled together, so that gate, up and their gradients stay in a core's cache.
constexpr std::size_t kChunkRows = 256;

void copy_rows(const float* source,
               std::span<const std::uint32_t> rows,
               std::size_t width,
               float* target) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(source + rows[i] * width, width, target + i * width);
  }
}

}  // namespace

std::size_t Workspace::bytes() const {
  std::size_t total = attention.bytes() + head_norm.bytes() + low_rank.bytes() + head.bytes();
  for (const FloatBuffer* buffer : {&cosine,
                                    &sine,
                                    &z,
                                    &d_z,
                                    &convolved,
                                    &d_convolved,
                                    &d_x,
                                    &d_attention,
                                    &d_query_key_value,
                                    &chunk,
                                    &d_chunk,
                                    &d_gate_up,
                                    &last,
                                    &final_norm,
                                    &hidden,
                                    &d_hidden,
                                    &active,
                                    &d_active,
                                    &unwanted}) {
    total += buffer->capacity_bytes();
  }
  for (const FloatBuffer& input : inputs) {
    total += input.capacity_bytes();
  }
  for (const LayerActivations& layer : layers) {
    for (const FloatBuffer* buffer : {&layer.x,
                                      &layer.attention_norm,
                                      &layer.query_key_value,
                                      &layer.plain_heads,
                                      &layer.head_norms,
                                      &layer.attention_out,
                                      &layer.log_sum,
                                      &layer.middle,
                                      &layer.mlp_norm,
                                      &layer.gate_up}) {
      total += buffer->capacity_bytes();
    }
  }
  return total;
}

void ensure_rotary_table(const TransformerConfig& config,
                         std::size_t num_positions,
                         Workspace& workspace) {
  if (num_positions <= workspace.num_positions) {
    return;
  }
  const auto half = static_cast<std::size_t>(config.head_dim) / 2;
  const std::size_t rows = std::min(static_cast<std::size_t>(config.max_position),
                                    std::max(num_positions, 2 * workspace.num_positions));
  float* cosine = workspace.cosine.ensure(rows * half);
  float* sine = workspace.sine.ensure(rows * half);
  const std::vector<double> frequencies = rope_frequencies(config);
  for (std::size_t i = 0; i < half; ++i) {
    for (std::size_t position = 0; position < rows; ++position) {
      const double angle = static_cast<double>(position) * frequencies[i];
      cosine[position * half + i] = static_cast<float>(std::cos(angle));
      sine[position * half + i] = static_cast<float>(std::sin(angle));
    }
  }
  workspace.num_positions = rows;
}

Network::Network(const TransformerConfig& config,
                 const ParameterLayout& layout,
                 const NetworkWeights& weights)
    : config_(config),
      layout_(layout),
      weights_(weights),
      shape_{static_cast<std::size_t>(config.num_heads),
             static_cast<std::size_t>(config.num_kv_heads),
             static_cast<std::size_t>(config.head_dim)},
      hidden_(static_cast<std::size_t>(config.hidden_size)),
      intermediate_(static_cast<std::size_t>(config.intermediate_size)) {}

NormConvolution Network::norm_of(std::size_t gain, std::size_t taps) const {
  return {.num_rows = num_tokens_,
          .width = hidden_,
          .num_taps = static_cast<std::size_t>(config_.convolution_taps),
          .epsilon = static_cast<float>(config_.rms_norm_epsilon),
          .gain = weights_.base + gain,
          .taps = weights_.base + taps,
          .predecessor = plan_.predecessor.data()};
}

HeadNorm Network::head_norm_of(const LayerOffsets& at) const {
  return {.shape = shape_,
          .epsilon = static_cast<float>(config_.rms_norm_epsilon),
          .query_gain = weights_.base + at.query_gain,
          .key_gain = weights_.base + at.key_gain};
}

const LayerTerms* Network::terms_of(std::size_t layer) const {
  static const LayerTerms kNone;
  return weights_.adapter == nullptr ? &kNone : &weights_.adapter->layers[layer];
}

LinearShape Network::query_key_value_of(std::size_t layer) const {
  return {.out = shape_.row_width(),
          .in = hidden_,
          .weight = layout_.layers[layer].query_key_value,
          .terms = terms_of(layer)->query_key_value};
}

LinearShape Network::attention_out_of(std::size_t layer) const {
  return {.out = hidden_,
          .in = shape_.out_width(),
          .weight = layout_.layers[layer].attention_out,
          .terms = terms_of(layer)->attention_out};
}

LinearShape Network::gate_up_of(std::size_t layer) const {
  return {.out = 2 * intermediate_,
          .in = hidden_,
          .weight = layout_.layers[layer].gate_up,
          .terms = terms_of(layer)->gate_up};
}

LinearShape Network::down_of(std::size_t layer) const {
  return {.out = hidden_,
          .in = intermediate_,
          .weight = layout_.layers[layer].down,
          .terms = terms_of(layer)->down};
}

Rotation Network::rotation(const Workspace& workspace, float direction) const {
  return {.num_rows = num_tokens_,
          .stride = shape_.row_width(),
          .num_heads = shape_.num_heads + shape_.num_kv_heads,
          .head_dim = shape_.head_dim,
          .cosine = workspace.cosine.data(),
          .sine = workspace.sine.data(),
          .position = plan_.position.data(),
          .direction = direction};
}

HeadInput Network::head_input(const Workspace& workspace) const {
  return {batch_, sources_, workspace.hidden.data()};
}

void Network::embed(float* x) const {
  for (std::size_t t = 0; t < num_tokens_; ++t) {
    const auto id = static_cast<std::size_t>(batch_->tokens[t]);
    std::copy_n(weights_.base + layout_.embedding + id * hidden_, hidden_, x + t * hidden_);
  }
}

void Network::attend(std::size_t layer, LayerActivations& kept, Workspace& workspace) const {
  const LayerOffsets& at = layout_.layers[layer];
  const std::size_t width = shape_.row_width();
  const std::size_t out_width = shape_.out_width();
  const float* x = kept.x.data();
  float* convolved = workspace.convolved.ensure(num_tokens_ * hidden_);
  train_kernels().norm_convolve(norm_of(at.attention_gain, at.attention_taps),
                                {.x = x,
                                 .inverse_rms = kept.attention_norm.ensure(num_tokens_),
                                 .z = workspace.z.ensure((num_tokens_ + 1) * hidden_),
                                 .out = convolved});
  float* rows = kept.query_key_value.ensure(num_tokens_ * width);
  const Linear linear(weights_, workspace.low_rank);
  linear.forward(query_key_value_of(layer), num_tokens_, convolved, rows);
  if (config_.qkv_bias) {
    add_bias(num_tokens_, width, weights_.base + at.query_key_value_bias, rows);
  }
  if (config_.qk_norm) {
    const std::size_t heads = shape_.num_heads + shape_.num_kv_heads;
    normalize_heads(head_norm_of(at),
                    num_tokens_,
                    rows,
                    kept.plain_heads.ensure(num_tokens_ * heads * shape_.head_dim),
                    kept.head_norms.ensure(num_tokens_ * heads),
                    workspace.head_norm);
  }
  train_kernels().rotate(rotation(workspace, 1.0F), rows);
  float* out = kept.attention_out.ensure(num_tokens_ * out_width);
  Attention(shape_, plan_, workspace.attention)
      .forward({rows, out, kept.log_sum.ensure(num_tokens_ * shape_.num_heads)});
  float* middle = kept.middle.ensure(num_tokens_ * hidden_);
  std::copy_n(x, num_tokens_ * hidden_, middle);
  linear.forward_add(attention_out_of(layer), num_tokens_, out, middle);
}

// out [A, hidden] = middle + MLP, for all rows or, in the last layer, those that queries read. Without
// `out` only what is kept is computed.
void Network::feed_forward(std::size_t layer,
                           LayerActivations& kept,
                           Workspace& workspace,
                           float* out) const {
  const LayerOffsets& at = layout_.layers[layer];
  const float* middle = kept.middle.data();
  const float* input = workspace.convolved.ensure(num_tokens_ * hidden_);
  train_kernels().norm_convolve(norm_of(at.mlp_gain, at.mlp_taps),
                                {.x = middle,
                                 .inverse_rms = kept.mlp_norm.ensure(num_tokens_),
                                 .z = workspace.z.ensure((num_tokens_ + 1) * hidden_),
                                 .out = workspace.convolved.data()});
  std::size_t num_rows = num_tokens_;
  if (is_last(layer)) {
    num_rows = sources_.size();
    copy_rows(input, sources_, hidden_, workspace.active.ensure(num_rows * hidden_));
    input = workspace.active.data();
    if (out != nullptr) {
      copy_rows(middle, sources_, hidden_, out);
    }
  } else if (out != nullptr) {
    std::copy_n(middle, num_tokens_ * hidden_, out);
  }
  const Linear linear(weights_, workspace.low_rank);
  float* gate_up = kept.gate_up.ensure(num_rows * 2 * intermediate_);
  float* chunk = workspace.chunk.ensure(kChunkRows * intermediate_);
  for (std::size_t begin = 0; begin < num_rows; begin += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, num_rows - begin);
    float* rows = gate_up + begin * 2 * intermediate_;
    linear.forward(gate_up_of(layer), count, input + begin * hidden_, rows);
    if (out != nullptr) {
      train_kernels().swiglu(count, intermediate_, rows, chunk);
      linear.forward_add(down_of(layer), count, chunk, out + begin * hidden_);
    }
  }
}

LayerActivations& Network::kept_of(std::size_t layer, Workspace& workspace) const {
  return workspace.layers[keep_ == Keep::kAll ? layer : 0];
}

// What the backward pass of a layer reads, from the layer's input.
void Network::compute_again(std::size_t layer, Workspace& workspace) const {
  LayerActivations& kept = kept_of(layer, workspace);
  std::swap(kept.x, workspace.inputs[layer]);
  attend(layer, kept, workspace);
  feed_forward(layer, kept, workspace, nullptr);
}

std::vector<TokenScore> Network::forward(const PackedBatch& batch,
                                         Workspace& workspace,
                                         Keep keep) {
  batch_ = &batch;
  keep_ = keep;
  plan_ = plan_segments(batch, config_.vocab_size);
  sources_ = query_sources(batch);
  num_tokens_ = batch.num_tokens();
  if (plan_.num_positions > static_cast<std::size_t>(config_.max_position)) {
    throw Error(ErrorKind::kInvalidArgument,
                "a sequence of " + std::to_string(plan_.num_positions) +
                    " tokens, the model has positions for " + std::to_string(config_.max_position),
                "shorten the history or use a model with more positions");
  }
  if (sources_.empty()) {
    return {};
  }
  ensure_rotary_table(config_, plan_.num_positions, workspace);
  const std::size_t num_layers = layout_.layers.size();
  workspace.layers.resize(
      std::max(workspace.layers.size(), keep == Keep::kAll ? num_layers : std::size_t{1}));
  workspace.inputs.resize(
      std::max(workspace.inputs.size(), keep == Keep::kInputs ? num_layers : std::size_t{0}));
  embed(kept_of(0, workspace).x.ensure(num_tokens_ * hidden_));
  float* last = workspace.last.ensure(sources_.size() * hidden_);
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    LayerActivations& kept = kept_of(layer, workspace);
    attend(layer, kept, workspace);
    if (keep == Keep::kInputs) {
      std::swap(kept.x, workspace.inputs[layer]);  // the next layer's goes beside it
    }
    float* out = is_last(layer) ? last
                                : kept_of(layer + 1, workspace).x.ensure(num_tokens_ * hidden_);
    feed_forward(layer, kept, workspace, out);
  }
  NormConvolution norm = norm_of(layout_.final_gain, 0);
  norm.num_rows = sources_.size();
  norm.num_taps = 0;
  train_kernels().norm_convolve(norm,
                                {.x = last,
                                 .inverse_rms = workspace.final_norm.ensure(sources_.size()),
                                 .z = workspace.z.ensure((num_tokens_ + 1) * hidden_),
                                 .out = workspace.hidden.ensure(sources_.size() * hidden_)});
  const HeadWeights head{
      weights_.base + layout_.head, static_cast<std::size_t>(config_.vocab_size), hidden_};
  return workspace.head.forward(head, head_input(workspace));
}

}  // namespace dreamgym::internal
