// The backward half of Network; every step mirrors one of network.cc in reverse.
#include <algorithm>

#include "dreamgym/nn/internal/network.h"

namespace dreamgym::internal {
// Where the gradient of gains or taps is added; a frozen one's goes where nobody looks.
float* Network::gain_gradient(std::size_t offset,
                              const NetworkGradients& wanted,
                              Workspace& workspace) const {
  if (wanted.base != nullptr) {
    return wanted.at(offset);
  }
  const auto taps = static_cast<std::size_t>(config_.convolution_taps);
  const std::size_t count = std::max((taps + 1) * hidden_, shape_.head_dim);
  std::fill_n(workspace.unwanted.ensure(count), count, 0.0F);
  return workspace.unwanted.data();
}

// Head and final norm; leaves the gradient of the last layer's rows in d_active [A, hidden].
void Network::final_backward(Workspace& workspace, const NetworkGradients& wanted) const {
  const std::size_t num_rows = sources_.size();
  float* d_active = workspace.d_active.ensure(num_rows * hidden_);
  std::fill_n(d_active, num_rows * hidden_, 0.0F);
  NormConvolution norm = norm_of(layout_.final_gain, 0);
  norm.num_rows = num_rows;
  norm.num_taps = 0;
  train_kernels().norm_convolve_backward(norm,
                                         {.x = workspace.last.data(),
                                          .inverse_rms = workspace.final_norm.data(),
                                          .z = workspace.z.data(),
                                          .d_out = workspace.d_hidden.data(),
                                          .d_z = workspace.d_z.ensure((num_tokens_ + 1) * hidden_),
                                          .d_x = d_active,
                                          .d_gain = gain_gradient(layout_.final_gain, wanted, workspace),
                                          .d_taps = nullptr});
}

// In: d_x [N, hidden] of the layer's output (last layer: d_active). Out: d_x of `middle`.
void Network::feed_forward_backward(std::size_t layer,
                                    Workspace& workspace,
                                    const NetworkGradients& wanted) const {
  const LayerOffsets& at = layout_.layers[layer];
  LayerActivations& kept = kept_of(layer, workspace);
  const NormConvolution norm = norm_of(at.mlp_gain, at.mlp_taps);
  const float* input = workspace.convolved.data();
  train_kernels().norm_convolve(norm,
                                {.x = kept.middle.data(),
                                 .inverse_rms = kept.mlp_norm.data(),
                                 .z = workspace.z.data(),
                                 .out = workspace.convolved.data()});
  const bool last = is_last(layer);
  const std::size_t num_rows = last ? sources_.size() : num_tokens_;
  const float* d_out = last ? workspace.d_active.data() : workspace.d_x.data();
  float* d_convolved = workspace.d_convolved.ensure(num_tokens_ * hidden_);
  float* d_input = d_convolved;
  if (last) {
    for (std::size_t i = 0; i < num_rows; ++i) {
      std::copy_n(input + sources_[i] * hidden_, hidden_, workspace.active.data() + i * hidden_);
    }
    input = workspace.active.data();
    d_input = workspace.d_hidden.data();  // free again after final_backward
  }
  const Linear linear(weights_, workspace.low_rank);
  float* chunk = workspace.chunk.data();
  const std::size_t most = mlp_chunk_rows(intermediate_);
  float* d_chunk = workspace.d_chunk.ensure(most * intermediate_);
  float* d_gate_up = workspace.d_gate_up.ensure(most * 2 * intermediate_);
  for (std::size_t begin = 0; begin < num_rows; begin += most) {
    const std::size_t count = std::min(most, num_rows - begin);
    const float* d_rows = d_out + begin * hidden_;
    linear.backward_input(down_of(layer), count, d_rows, d_chunk);
    train_kernels().swiglu_backward({.num_rows = count,
                                     .width = intermediate_,
                                     .gate_up = kept.gate_up.data() + begin * 2 * intermediate_,
                                     .d_out = d_chunk,
                                     .out = chunk,
                                     .d_gate_up = d_gate_up});
    linear.backward_weight(down_of(layer), count, chunk, d_rows, wanted);
    linear.backward_input(gate_up_of(layer), count, d_gate_up, d_input + begin * hidden_);
    linear.backward_weight(gate_up_of(layer), count, input + begin * hidden_, d_gate_up, wanted);
  }
  if (last) {
    std::fill_n(d_convolved, num_tokens_ * hidden_, 0.0F);
    std::fill_n(workspace.d_x.data(), num_tokens_ * hidden_, 0.0F);
    for (std::size_t i = 0; i < num_rows; ++i) {
      std::copy_n(d_input + i * hidden_, hidden_, d_convolved + sources_[i] * hidden_);
      std::copy_n(d_out + i * hidden_, hidden_, workspace.d_x.data() + sources_[i] * hidden_);
    }
  }
  train_kernels().norm_convolve_backward(norm,
                                         {.x = kept.middle.data(),
                                          .inverse_rms = kept.mlp_norm.data(),
                                          .z = workspace.z.data(),
                                          .d_out = d_convolved,
                                          .d_z = workspace.d_z.data(),
                                          .d_x = workspace.d_x.data(),
                                          .d_gain = gain_gradient(at.mlp_gain, wanted, workspace),
                                          .d_taps = gain_gradient(at.mlp_taps, wanted, workspace)});
}

// From the rotated heads' gradient in d_query_key_value to that of the projections' output.
void Network::heads_backward(std::size_t layer,
                             Workspace& workspace,
                             const NetworkGradients& wanted) const {
  const LayerOffsets& at = layout_.layers[layer];
  const LayerActivations& kept = kept_of(layer, workspace);
  float* d_rows = workspace.d_query_key_value.data();
  train_kernels().rotate(rotation(workspace, -1.0F), d_rows);
  if (config_.qk_norm) {
    normalize_heads_backward(head_norm_of(at),
                             num_tokens_,
                             {.before = kept.plain_heads.data(),
                              .inverse_rms = kept.head_norms.data(),
                              .d_rows = d_rows,
                              .d_query_gain = gain_gradient(at.query_gain, wanted, workspace),
                              .d_key_gain = gain_gradient(at.key_gain, wanted, workspace)},
                             workspace.head_norm);
  }
  if (config_.qkv_bias && wanted.base != nullptr) {
    add_row_sum(num_tokens_, shape_.row_width(), d_rows, wanted.at(at.query_key_value_bias));
  }
}

// In: d_x of `middle`. Out: d_x of the layer's input.
void Network::attend_backward(std::size_t layer, Workspace& workspace, const NetworkGradients& wanted) const {
  const LayerOffsets& at = layout_.layers[layer];
  LayerActivations& kept = kept_of(layer, workspace);
  const std::size_t width = shape_.row_width();
  const std::size_t out_width = shape_.out_width();
  const float* d_x = workspace.d_x.data();
  float* d_attention = workspace.d_attention.ensure(num_tokens_ * out_width);
  const Linear linear(weights_, workspace.low_rank);
  linear.backward_input(attention_out_of(layer), num_tokens_, d_x, d_attention);
  linear.backward_weight(
      attention_out_of(layer), num_tokens_, kept.attention_out.data(), d_x, wanted);
  float* d_rows = workspace.d_query_key_value.ensure(num_tokens_ * width);
  Attention(shape_, plan_, workspace.attention)
      .backward({.rows = kept.query_key_value.data(),
                 .out = kept.attention_out.data(),
                 .log_sum = kept.log_sum.data(),
                 .d_out = d_attention,
                 .d_rows = d_rows});
  heads_backward(layer, workspace, wanted);
  const NormConvolution norm = norm_of(at.attention_gain, at.attention_taps);
  train_kernels().norm_convolve(norm,
                                {.x = kept.x.data(),
                                 .inverse_rms = kept.attention_norm.data(),
                                 .z = workspace.z.data(),
                                 .out = workspace.convolved.data()});
  const LinearShape projection = query_key_value_of(layer);
  linear.backward_weight(projection, num_tokens_, workspace.convolved.data(), d_rows, wanted);
  linear.backward_input(projection, num_tokens_, d_rows, workspace.d_convolved.data());
  train_kernels().norm_convolve_backward(norm,
                                         {.x = kept.x.data(),
                                          .inverse_rms = kept.attention_norm.data(),
                                          .z = workspace.z.data(),
                                          .d_out = workspace.d_convolved.data(),
                                          .d_z = workspace.d_z.data(),
                                          .d_x = workspace.d_x.data(),
                                          .d_gain = gain_gradient(at.attention_gain, wanted, workspace),
                                          .d_taps = gain_gradient(at.attention_taps, wanted, workspace)});
}

void Network::backward(std::span<const TokenGradient> gradients,
                       Workspace& workspace,
                       GradientSink& sink) {
  if (sources_.empty()) {
    return;
  }
  float* d_hidden = workspace.d_hidden.ensure(sources_.size() * hidden_);
  std::fill_n(d_hidden, sources_.size() * hidden_, 0.0F);
  const NetworkGradients embedding = sink.of_embedding();
  const NetworkGradients rest = sink.of_rest();
  const NetworkGradients& of_head = layout_.head == layout_.embedding ? embedding : rest;
  workspace.head.backward(
      head_weights(),
      head_input(workspace),
      {gradients, d_hidden, of_head.base == nullptr ? nullptr : of_head.at(layout_.head)});
  final_backward(workspace, rest);
  float* d_x = workspace.d_x.ensure(num_tokens_ * hidden_);
  for (std::size_t layer = layout_.layers.size(); layer-- > 0;) {
    if (keep_ == Keep::kInputs) {
      compute_again(layer, workspace);
    }
    const NetworkGradients wanted = sink.of_layer(layer);
    feed_forward_backward(layer, workspace, wanted);
    attend_backward(layer, workspace, wanted);
    sink.layer_done(layer);
  }
  if (embedding.base == nullptr) {
    return;
  }
  for (std::size_t t = 0; t < num_tokens_; ++t) {
    const auto id = static_cast<std::size_t>(batch_->tokens[t]);
    train_kernels().add_scaled(
        1.0F, d_x + t * hidden_, embedding.at(layout_.embedding) + id * hidden_, hidden_);
  }
}

}  // namespace dreamgym::internal
