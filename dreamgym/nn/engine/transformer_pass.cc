#include "dreamgym/nn/engine/transformer_pass.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dreamgym/base/error.h"

namespace dreamgym::engine {
namespace {

std::size_t attended_width(const TransformerConfig& config) {
  return static_cast<std::size_t>(config.num_heads * config.head_dim);
}

std::size_t deepest_product(const PackedTransformer& model) {
  std::size_t depth = model.head.depth;
  for (const PackedLayer& layer : model.layers) {
    depth = std::max({depth, layer.attention_out.depth, layer.down.depth});
  }
  return depth;
}

const PackedLayerTerms& terms_of(const PackedTransformer& model, std::size_t layer) {
  static const PackedLayerTerms kNone;
  return model.adapter.layers.empty() ? kNone : model.adapter.layers[layer];
}

}  // namespace

TransformerPass::TransformerPass(const PackedTransformer& model,
                                 const Kernels& kernels,
                                 NumberFormat cache_format,
                                 std::size_t max_rows)
    : model_(model),
      kernels_(kernels),
      shape_(model.config, cache_format),
      max_rows_(max_rows),
      residual_(max_rows * model.hidden_stride),
      normalized_((shape_.tail_rows + max_rows) * model.hidden_stride),
      input_(max_rows * model.hidden_stride),
      heads_(max_rows * model.layers.front().query_key_value.columns()),
      attended_(max_rows * round_up(attended_width(model.config), kPanelWidth)),
      activated_(max_rows * model.layers.front().gate_up.columns() / 2),
      outputs_(max_rows * model.hidden_stride),
      product_scratch_(product_scratch_floats(deepest_product(model), max_rows)) {}

void TransformerPass::run(std::span<const PassPart> parts) {
  place(parts);
  fit_adapter();
  embed();
  for (std::size_t layer = 0; layer < model_.layers.size(); ++layer) {
    const PackedLayer& weights = model_.layers[layer];
    prepare_input(weights.attention_input, 2 * layer);
    run_attention(layer);
    prepare_input(weights.mlp_input, 2 * layer + 1);
    if (layer + 1 == model_.layers.size()) {
      keep_output_rows();
    }
    run_mlp(layer);
  }
  for (const PlacedPart& placed : parts_) {
    placed.part.sequence->commit(placed.part.tokens);
  }
  normalize_outputs();
}

void TransformerPass::place(std::span<const PassPart> parts) {
  parts_.clear();
  num_rows_ = 0;
  std::size_t longest = 0;
  for (const PassPart& part : parts) {
    const std::size_t position = part.sequence->size();
    const std::size_t end = position + part.tokens.size();
    check(end <= static_cast<std::size_t>(model_.config.max_position), "sequence fits the model");
    part.sequence->reserve_blocks(part.tokens);
    parts_.push_back({part, num_rows_, position});
    num_rows_ += part.tokens.size();
    longest = std::max(longest, end);
  }
  check(num_rows_ <= max_rows_, "rows fit the pass");
  const std::size_t scratch = attention_scratch_floats(longest);
  if (attention_scratch_.size() < scratch) {
    attention_scratch_.resize(scratch);
  }
  find_together();
}

// Sorted by their blocks, sequences that begin alike are neighbours; as many as a kernel takes at once
// stand together, unless that would leave them less than half of what they share without the last.
void TransformerPass::find_together() {
  const std::size_t most = std::max<std::size_t>(kMaxTileRows / heads_a_group(), 1);
  const auto full_blocks = [&](std::size_t part) {
    return std::span(parts_[part].part.sequence->blocks(), parts_[part].position / kPanelWidth);
  };
  together_.clear();
  alone_.clear();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    (parts_[i].part.tokens.size() == 1 ? order : alone_).push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(full_blocks(a), full_blocks(b), std::less<>());
  });
  for (std::size_t i = 0; i < order.size();) {
    Together run{{order[i]}, full_blocks(order[i]).size()};
    for (++i; i < order.size() && run.parts.size() < most; ++i) {
      const auto first = full_blocks(run.parts.front());
      const auto common = static_cast<std::size_t>(
          std::ranges::mismatch(first, full_blocks(order[i])).in1 - first.begin());
      if (common == 0 || (run.parts.size() > 1 && 2 * common < run.shared_blocks)) {
        break;
      }
      run.shared_blocks = std::min(run.shared_blocks, common);
      run.parts.push_back(order[i]);
    }
    if (run.parts.size() > 1) {
      together_.push_back(std::move(run));
    } else {
      alone_.push_back(run.parts.front());
    }
  }
}

void TransformerPass::embed() {
  for (const PlacedPart& placed : parts_) {
    float* row = residual_.data() + placed.first_row * model_.hidden_stride;
    for (const TokenId token : placed.part.tokens) {
      check_token(token, model_.config);
      const float* embedding =
          model_.embeddings.data() + static_cast<std::size_t>(token) * model_.hidden_stride;
      std::copy_n(embedding, model_.hidden_stride, row);
      row += model_.hidden_stride;
    }
  }
}

// input_ = convolution(norm(residual_)).
void TransformerPass::prepare_input(const PackedInput& input, std::size_t tail_index) {
  const std::size_t stride = model_.hidden_stride;
  const auto taps = static_cast<std::size_t>(model_.config.convolution_taps);
  for (const PlacedPart& placed : parts_) {
    const std::size_t count = placed.part.tokens.size();
    float* out = input_.data() + placed.first_row * stride;
    float* normalized = taps == 0 ? out : normalized_.data() + shape_.tail_rows * stride;
    kernels_.normalize({.input = residual_.data() + placed.first_row * stride,
                        .out = normalized,
                        .num_rows = count,
                        .size = static_cast<std::size_t>(model_.config.hidden_size),
                        .padded = stride,
                        .epsilon = static_cast<float>(model_.config.rms_norm_epsilon),
                        .weight = input.norm.data()});
    if (taps == 0) {
      continue;
    }
    std::copy_n(
        placed.part.sequence->tail(tail_index), shape_.tail_rows * stride, normalized_.data());
    kernels_.convolve({.input = normalized_.data(),
                       .out = out,
                       .num_rows = count,
                       .padded = stride,
                       .taps = taps,
                       .weight = input.convolution.data()});
    placed.part.sequence->advance_tail(tail_index, normalized_.data(), count);
  }
}

void TransformerPass::run_attention(std::size_t layer) {
  const PackedLayer& weights = model_.layers[layer];
  multiply(kernels_.multiply, input_, weights.query_key_value, heads_);
  const PackedLayerTerms& terms = terms_of(model_, layer);
  add_terms(terms.query_key_value, input_, heads_);
  for (const PlacedPart& placed : parts_) {
    finish_heads(placed, weights);
    rotate_and_store(placed, layer);
  }
  for (const std::size_t part : alone_) {
    attend(parts_[part], layer);
  }
  for (const Together& together : together_) {
    attend(together, layer);
  }
  multiply(kernels_.multiply_add, attended_, weights.attention_out, residual_);
  add_terms(terms.attention_out, attended_, residual_);
}

// Biases of the projections and norms of the heads, where the family has them.
void TransformerPass::finish_heads(const PlacedPart& placed, const PackedLayer& layer) {
  const auto head_dim = static_cast<std::size_t>(model_.config.head_dim);
  const auto num_heads = static_cast<std::size_t>(model_.config.num_heads);
  const std::size_t stride = layer.query_key_value.columns();
  const auto normalize = [&](float* heads, std::size_t count, const AlignedFloats& weight) {
    kernels_.normalize({.input = heads,
                        .out = heads,
                        .num_rows = count,
                        .size = head_dim,
                        .padded = head_dim,
                        .epsilon = static_cast<float>(model_.config.rms_norm_epsilon),
                        .weight = weight.data()});
  };
  for (std::size_t i = 0; i < placed.part.tokens.size(); ++i) {
    float* row = heads_.data() + (placed.first_row + i) * stride;
    for (std::size_t column = 0; column < layer.bias.size(); ++column) {
      row[column] += layer.bias[column];
    }
    if (!layer.query_norm.empty()) {
      normalize(row, num_heads, layer.query_norm);
      normalize(row + num_heads * head_dim, shape_.num_kv_heads, layer.key_norm);
    }
  }
}

// Queries and keys turned to their positions; keys and values into the cache unless they are there.
void TransformerPass::rotate_and_store(const PlacedPart& placed, std::size_t layer) {
  const TransformerConfig& config = model_.config;
  const auto head_dim = static_cast<std::size_t>(config.head_dim);
  const auto num_heads = static_cast<std::size_t>(config.num_heads);
  const std::size_t half = head_dim / 2;
  const std::size_t stride = model_.layers[layer].query_key_value.columns();
  for (std::size_t i = 0; i < placed.part.tokens.size(); ++i) {
    const std::size_t position = placed.position + i;
    float* row = heads_.data() + (placed.first_row + i) * stride;
    for (std::size_t head = 0; head < num_heads + shape_.num_kv_heads; ++head) {
      kernels_.rotate(row + head * head_dim,
                      model_.rotations.cosines.data() + position * half,
                      model_.rotations.sines.data() + position * half,
                      half);
    }
    if (position < placed.part.sequence->num_stored()) {
      continue;
    }
    float* block = placed.part.sequence->block(position / kPanelWidth);
    const float* keys = row + num_heads * head_dim;
    const float* values = keys + shape_.num_kv_heads * head_dim;
    for (std::size_t head = 0; head < shape_.num_kv_heads; ++head) {
      shape_.store(position % kPanelWidth,
                   keys + head * head_dim,
                   values + head * head_dim,
                   block + shape_.key_offset(layer, head));
    }
  }
}

AttentionTask TransformerPass::attention_task(const PlacedPart& placed,
                                              std::size_t layer,
                                              std::size_t head) {
  const auto head_dim = static_cast<std::size_t>(model_.config.head_dim);
  const std::size_t query_stride = model_.layers[layer].query_key_value.columns();
  const std::size_t out_stride = round_up(attended_width(model_.config), kPanelWidth);
  const std::size_t column = head * heads_a_group() * head_dim;
  return {.queries = heads_.data() + placed.first_row * query_stride + column,
          .query_stride = query_stride,
          .num_tokens = placed.part.tokens.size(),
          .group = heads_a_group(),
          .head_dim = head_dim,
          .scale = 1.0F / std::sqrt(static_cast<float>(head_dim)),
          .first_position = placed.position,
          .format = shape_.format,
          .blocks = placed.part.sequence->blocks(),
          .key_offset = shape_.key_offset(layer, head),
          .value_offset = shape_.value_offset(layer, head),
          .scale_offset = shape_.scale_offset(layer, head),
          .next_offset =
              head + 1 == shape_.num_kv_heads
                  ? 0
                  : shape_.key_offset(layer, head + 1) - shape_.value_offset(layer, head),
          .out = attended_.data() + placed.first_row * out_stride + column,
          .out_stride = out_stride,
          .scratch = attention_scratch_.data()};
}

void TransformerPass::attend(const PlacedPart& placed, std::size_t layer) {
  for (std::size_t head = 0; head < shape_.num_kv_heads; ++head) {
    kernels_.attend(attention_task(placed, layer, head));
  }
}

void TransformerPass::attend(const Together& together, std::size_t layer) {
  for (std::size_t head = 0; head < shape_.num_kv_heads; ++head) {
    members_.clear();
    for (const std::size_t part : together.parts) {
      const AttentionTask task = attention_task(parts_[part], layer, head);
      members_.push_back({task.queries, task.out, task.blocks, task.first_position + 1});
    }
    kernels_.attend_shared({.first = attention_task(parts_[together.parts.front()], layer, head),
                            .shared_blocks = together.shared_blocks,
                            .members = members_.data(),
                            .num_members = members_.size()});
  }
}

void TransformerPass::run_mlp(std::size_t layer) {
  const PackedLayer& weights = model_.layers[layer];
  const PackedLayerTerms& terms = terms_of(model_, layer);
  if (terms.gate_up.empty()) {
    multiply(kernels_.multiply_swiglu, input_, weights.gate_up, activated_);
  } else {
    multiply(kernels_.multiply, input_, weights.gate_up, gate_up_);
    add_terms(terms.gate_up, input_, gate_up_);
    kernels_.swiglu({.input = gate_up_.data(),
                     .input_stride = gate_up_.size() / max_rows_,
                     .num_rows = num_rows_,
                     .num_panels = weights.gate_up.num_panels,
                     .out = activated_.data(),
                     .out_stride = activated_.size() / max_rows_});
  }
  multiply(kernels_.multiply_add, activated_, weights.down, residual_);
  add_terms(terms.down, activated_, residual_);
}

// Memory for the present adapter, which may be wider than the last.
void TransformerPass::fit_adapter() {
  const std::size_t columns = model_.adapter.inner_columns;
  if (low_rank_.size() >= max_rows_ * columns) {
    return;
  }
  low_rank_.resize(max_rows_ * columns);
  gate_up_.resize(max_rows_ * model_.layers.front().gate_up.columns());
  product_scratch_.resize(
      std::max(product_scratch_.size(), product_scratch_floats(columns, max_rows_)));
}

// out += scale * B (A left)
void TransformerPass::add_terms(const PackedTerms& terms,
                                const AlignedFloats& left,
                                AlignedFloats& out) {
  if (!terms.empty()) {
    multiply(kernels_.multiply, left, terms.inner, low_rank_);
    multiply(kernels_.multiply_add, low_rank_, terms.outer, out);
  }
}

// Strides follow from the sizes of the buffers: max_rows rows each.
void TransformerPass::multiply(void (*kernel)(const PanelProduct&),
                               const AlignedFloats& left,
                               const PackedMatrix& matrix,
                               AlignedFloats& out) {
  PanelProduct product = matrix.product();
  product.left = left.data();
  product.left_stride = left.size() / max_rows_;
  product.num_rows = num_rows_;
  product.out = out.data();
  product.out_stride = out.size() / max_rows_;
  product.scratch = product_scratch_.data();
  kernel(product);
}

// What comes after the last attention is read by nobody but the outputs: the other rows leave.
void TransformerPass::keep_output_rows() {
  const std::size_t stride = model_.hidden_stride;
  std::size_t count = 0;
  for (const PlacedPart& placed : parts_) {
    const std::size_t wanted = placed.part.num_outputs;
    const std::size_t row = placed.first_row + placed.part.tokens.size() - wanted;
    if (row != count) {
      for (AlignedFloats* rows : {&residual_, &input_}) {
        const float* first = rows->data() + row * stride;
        std::copy(first, first + wanted * stride, rows->data() + count * stride);
      }
    }
    count += wanted;
  }
  num_rows_ = count;
}

void TransformerPass::normalize_outputs() {
  kernels_.normalize({.input = residual_.data(),
                      .out = outputs_.data(),
                      .num_rows = num_rows_,
                      .size = static_cast<std::size_t>(model_.config.hidden_size),
                      .padded = model_.hidden_stride,
                      .epsilon = static_cast<float>(model_.config.rms_norm_epsilon),
                      .weight = model_.final_norm.data()});
}

const float* TransformerPass::output(std::size_t index) const {
  return outputs_.data() + index * model_.hidden_stride;
}

const float* TransformerPass::logits(std::size_t first, std::size_t count) {
  if (logits_.size() < count * logits_stride()) {
    logits_.resize(count * logits_stride());
  }
  PanelProduct product = model_.head.product();
  product.left = output(first);
  product.left_stride = model_.hidden_stride;
  product.num_rows = count;
  product.out = logits_.data();
  product.out_stride = logits_stride();
  product.scratch = product_scratch_.data();
  kernels_.multiply(product);
  return logits_.data();
}

void TransformerPass::token_logits(std::size_t output_index,
                                   std::span<const TokenId> tokens,
                                   std::vector<float>& logits) {
  logits.clear();
  for (const TokenId token : tokens) {
    check_token(token, model_.config);
    logits.push_back(kernels_.dot(output(output_index),
                                  model_.head_row(static_cast<std::size_t>(token)),
                                  model_.hidden_stride));
  }
}

}  // namespace dreamgym::engine
