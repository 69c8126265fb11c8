#include "dreamgym/nn/internal/torch_pass.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/torch_device.h"

namespace dreamgym::internal {
namespace {

using engine::PassPart;

// While it lives, operations called on this thread use so many threads.
class ThreadCount {
 public:
  explicit ThreadCount(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

at::Tensor normalized(const at::Tensor& rows, const at::Tensor& weight, double epsilon) {
  return at::rms_norm(rows, weight.sizes(), weight, epsilon);
}

// rows weight^T + terms, in fp32.
at::Tensor multiply(const at::Tensor& rows, const at::Tensor& weight, const TorchTerms& terms) {
  at::Tensor product = at::linear(rows.to(weight.scalar_type()), weight).to(at::kFloat);
  if (terms.inner.defined()) {
    product.add_(at::linear(at::linear(rows, terms.inner), terms.outer));
  }
  return product;
}

const TorchLayerTerms& terms_of(const TorchTransformer& model, std::size_t layer) {
  static const TorchLayerTerms kNone;
  return model.adapter.empty() ? kNone : model.adapter[layer];
}

// Pairs (head[i], head[i + half]) turned. @param heads  [rows, heads, head_dim]
at::Tensor rotated(const at::Tensor& heads, const at::Tensor& cosines, const at::Tensor& sines) {
  const std::vector<at::Tensor> halves = heads.chunk(2, -1);
  return at::cat({halves[0] * cosines - halves[1] * sines, halves[1] * cosines + halves[0] * sines}, -1);
}

void write_cache(at::Tensor cache, const at::Tensor& heads, const Placement& placement) {
  cache.index_put_({placement.written_blocks, placement.written_lanes},
                   heads.index_select(0, placement.written_rows).to(cache.scalar_type()));
}

}  // namespace

TorchPass::TorchPass(const TorchTransformer& model,
                     const TorchBlockMemory& blocks,
                     std::size_t max_rows,
                     std::size_t num_threads)
    : model_(model),
      blocks_(blocks),
      shape_(model.config),
      max_rows_(max_rows),
      num_threads_(static_cast<int>(num_threads)) {}

void TorchPass::run(std::span<const PassPart> parts) {
  const ThreadCount threads(num_threads_);
  on_torch(model_.device, [&] { compute(parts); });
  for (const PassPart& part : parts) {
    part.sequence->commit(part.tokens);
  }
}

void TorchPass::compute(std::span<const PassPart> parts) {
  placement_ = place_parts(parts, model_.config, model_.device, blocks_.type());
  check(placement_.num_rows <= static_cast<std::int64_t>(max_rows_), "rows fit the pass");
  cosines_ = model_.cosines.index_select(0, placement_.positions).unsqueeze(1);
  sines_ = model_.sines.index_select(0, placement_.positions).unsqueeze(1);
  send_tails(parts);
  at::Tensor residual = model_.embeddings.index_select(0, placement_.tokens);
  for (std::size_t layer = 0; layer < model_.layers.size(); ++layer) {
    const TorchLayer& weights = model_.layers[layer];
    residual.add_(run_attention(prepare_input(residual, weights.attention_input), layer));
    at::Tensor input = prepare_input(residual, weights.mlp_input);
    if (layer + 1 == model_.layers.size()) {
      // What comes after the last attention is read by nobody but the outputs.
      residual = residual.index_select(0, placement_.output_rows);
      input = input.index_select(0, placement_.output_rows);
    }
    residual.add_(run_mlp(input, layer));
  }
  keep_tails(parts);
  outputs_ = normalized(residual, model_.final_norm, model_.config.rms_norm_epsilon);
}

void TorchPass::send_tails(std::span<const PassPart> parts) {
  entered_.clear();
  if (shape_.tail_floats == 0) {
    return;
  }
  const auto hidden = static_cast<std::size_t>(model_.config.hidden_size);
  const at::Tensor tails = at::empty({static_cast<std::int64_t>(shape_.num_tails),
                                      static_cast<std::int64_t>(parts.size() * shape_.tail_rows),
                                      model_.config.hidden_size});
  auto* to = tails.mutable_data_ptr<float>();
  for (std::size_t index = 0; index < shape_.num_tails; ++index) {
    for (const PassPart& part : parts) {
      for (std::size_t row = 0; row < shape_.tail_rows; ++row) {
        to = std::copy_n(part.sequence->tail(index) + row * shape_.hidden_stride, hidden, to);
      }
    }
  }
  tails_ = tails.to(model_.device);
}

// One copy to the host for all convolutions.
void TorchPass::keep_tails(std::span<const PassPart> parts) {
  if (shape_.tail_floats == 0) {
    return;
  }
  const auto hidden = static_cast<std::size_t>(model_.config.hidden_size);
  const at::Tensor entered = at::stack(entered_).to(at::kCPU);
  const auto* from = entered.const_data_ptr<float>();
  std::vector<float> inputs;
  for (std::size_t index = 0; index < shape_.num_tails; ++index) {
    for (const PassPart& part : parts) {
      const std::size_t count = part.tokens.size();
      inputs.assign((shape_.tail_rows + count) * shape_.hidden_stride, 0.0F);
      float* row = std::copy_n(
          part.sequence->tail(index), shape_.tail_rows * shape_.hidden_stride, inputs.data());
      for (std::size_t i = 0; i < count; ++i, from += hidden, row += shape_.hidden_stride) {
        std::copy_n(from, hidden, row);
      }
      part.sequence->advance_tail(index, inputs.data(), count);
    }
  }
}

// convolution(norm(residual))
at::Tensor TorchPass::prepare_input(const at::Tensor& residual, const TorchInput& input) {
  const at::Tensor rows = normalized(residual, input.norm, model_.config.rms_norm_epsilon);
  if (!input.convolution.defined()) {
    return rows;
  }
  const at::Tensor source =
      at::cat({tails_.select(0, static_cast<std::int64_t>(entered_.size())), rows});
  entered_.push_back(rows);
  at::Tensor sum = rows.clone();
  for (std::int64_t tap = 0; tap < model_.config.convolution_taps; ++tap) {
    sum.add_(source.index_select(0, placement_.looked_at.select(0, tap)) *
             input.convolution.select(0, tap));
  }
  return sum;
}

at::Tensor TorchPass::run_attention(const at::Tensor& input, std::size_t layer) {
  const TransformerConfig& config = model_.config;
  const TorchLayer& weights = model_.layers[layer];
  const TorchLayerTerms& terms = terms_of(model_, layer);
  at::Tensor heads = multiply(input, weights.query_key_value, terms.query_key_value);
  if (weights.bias.defined()) {
    heads.add_(weights.bias);
  }
  heads = heads.view({placement_.num_rows, -1, config.head_dim});
  at::Tensor queries = heads.narrow(1, 0, config.num_heads);
  at::Tensor keys = heads.narrow(1, config.num_heads, config.num_kv_heads);
  if (weights.query_norm.defined()) {
    queries = normalized(queries, weights.query_norm, config.rms_norm_epsilon);
    keys = normalized(keys, weights.key_norm, config.rms_norm_epsilon);
  }
  queries = rotated(queries, cosines_, sines_);
  write_cache(blocks_.keys(layer), rotated(keys, cosines_, sines_), placement_);
  write_cache(blocks_.values(layer),
              heads.narrow(1, config.num_heads + config.num_kv_heads, config.num_kv_heads),
              placement_);
  const at::Tensor attended =
      at::empty({placement_.num_rows, config.num_heads * config.head_dim}, input.options());
  for (const AttentionGroup& group : placement_.groups) {
    attended.index_copy_(0, group.rows, attend(queries, group, layer));
  }
  return multiply(attended, weights.attention_out, terms.attention_out);
}

// Heads that share keys stand side by side as further queries. Returns [rows of the group, heads * head_dim].
at::Tensor TorchPass::attend(const at::Tensor& queries, const AttentionGroup& group, std::size_t layer) {
  const TransformerConfig& config = model_.config;
  const std::int64_t heads_a_key = config.num_heads / config.num_kv_heads;
  const at::Tensor asked = queries.index_select(0, group.rows)
                               .to(blocks_.type())
                               .view({group.num_sequences,
                                      group.num_tokens,
                                      config.num_kv_heads,
                                      heads_a_key,
                                      config.head_dim})
                               .permute({0, 2, 3, 1, 4})
                               .reshape({group.num_sequences,
                                         config.num_kv_heads,
                                         heads_a_key * group.num_tokens,
                                         config.head_dim});
  const auto gathered = [&](const at::Tensor& cache) {
    return cache.index_select(0, group.blocks)
        .view({group.num_sequences, -1, config.num_kv_heads, config.head_dim})
        .transpose(1, 2);
  };
  const at::Tensor attended =
      at::scaled_dot_product_attention(asked,
                                       gathered(blocks_.keys(layer)),
                                       gathered(blocks_.values(layer)),
                                       group.mask,
                                       /*dropout_p=*/0.0,
                                       /*is_causal=*/false,
                                       1.0 / std::sqrt(static_cast<double>(config.head_dim)));
  return attended
      .reshape({group.num_sequences,
                config.num_kv_heads,
                heads_a_key,
                group.num_tokens,
                config.head_dim})
      .permute({0, 3, 1, 2, 4})
      .reshape({group.num_sequences * group.num_tokens, config.num_heads * config.head_dim})
      .to(at::kFloat);
}

at::Tensor TorchPass::run_mlp(const at::Tensor& input, std::size_t layer) const {
  const TorchLayer& weights = model_.layers[layer];
  const TorchLayerTerms& terms = terms_of(model_, layer);
  const std::vector<at::Tensor> halves =
      multiply(input, weights.gate_up, terms.gate_up).chunk(2, -1);
  return multiply(at::silu(halves[0]) * halves[1], weights.down, terms.down);
}

const float* TorchPass::logits(std::size_t first, std::size_t count) {
  const ThreadCount threads(num_threads_);
  on_torch(model_.device, [&] {
    const at::Tensor rows =
        outputs_.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
    logits_ = at::linear(rows, model_.head).to(at::kCPU).contiguous();
  });
  return logits_.const_data_ptr<float>();
}

std::size_t TorchPass::logits_stride() const {
  return static_cast<std::size_t>(model_.config.vocab_size);
}

void TorchPass::token_logits(std::size_t output,
                             std::span<const TokenId> tokens,
                             std::vector<float>& logits) {
  std::vector<std::int64_t> rows;
  for (const TokenId token : tokens) {
    engine::check_token(token, model_.config);
    rows.push_back(token);
  }
  const ThreadCount threads(num_threads_);
  on_torch(model_.device, [&] {
    const at::Tensor of_tokens = model_.head.index_select(0, host_integers(rows).to(model_.device));
    const at::Tensor said = of_tokens.mv(outputs_.select(0, static_cast<std::int64_t>(output)))
                                .to(at::kCPU)
                                .contiguous();
    const auto* values = said.const_data_ptr<float>();
    logits.assign(values, values + tokens.size());
  });
}

}  // namespace dreamgym::internal
