#include "dreamgym/nn/internal/attention.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/nn/internal/matrix_product.h"

namespace dreamgym::internal {
namespace {

// Scores of a tile stay within a part of a core's second-level cache; below the least number of
// rows the products become inefficient.
constexpr std::size_t kTileScoreBytes = 384 * 1024;
constexpr std::size_t kMinTileRows = 24;
constexpr std::size_t kMaxTileRows = 64;

}  // namespace

// Keys and values one kv head of a segment sees, root first, and where their gradients gather.
// A segment without ancestors uses the rows as they lie.
struct Attention::Keys {
  const float* keys = nullptr;
  const float* values = nullptr;
  float* d_keys = nullptr;
  float* d_values = nullptr;
  std::size_t stride = 0;
};

// `num_rows` tokens from `first_token`, times the heads that share a kv head: row
// head_in_group * num_rows + token.
struct Attention::Tile {
  std::size_t first_token = 0;
  std::size_t num_rows = 0;
  std::size_t num_keys = 0;  ///< that the last row sees
  std::size_t kv_head = 0;
};

std::size_t AttentionScratch::bytes() const {
  std::size_t total = 0;
  for (const FloatBuffer* buffer :
       {&keys, &values, &d_keys, &d_values, &queries, &outs, &d_queries, &scores, &d_scores}) {
    total += buffer->capacity_bytes();
  }
  return total;
}

std::size_t Attention::tile_rows(std::size_t num_keys) const {
  const std::size_t fitting = kTileScoreBytes / (padded(num_keys) * sizeof(float) * shape_.group());
  return std::clamp(fitting, kMinTileRows, kMaxTileRows);
}

Attention::Keys Attention::find_keys(const SegmentView& segment,
                                     std::size_t kv_head,
                                     const float* rows) const {
  const std::size_t head_dim = shape_.head_dim;
  const std::size_t width = shape_.row_width();
  const float* key_column = rows + (shape_.num_heads + kv_head) * head_dim;
  const float* value_column = key_column + shape_.num_kv_heads * head_dim;
  if (segment.num_ranges == 0) {
    const std::size_t begin = segment.own.begin * width;
    return {key_column + begin, value_column + begin, nullptr, nullptr, width};
  }
  const std::size_t total = segment.num_context_tokens + (segment.own.end - segment.own.begin);
  float* keys = scratch_.keys.ensure(total * head_dim);
  float* values = scratch_.values.ensure(total * head_dim);
  std::size_t row = 0;
  const auto gather = [&](TokenRange range) {
    for (std::size_t token = range.begin; token < range.end; ++token, ++row) {
      std::copy_n(key_column + token * width, head_dim, keys + row * head_dim);
      std::copy_n(value_column + token * width, head_dim, values + row * head_dim);
    }
  };
  std::ranges::for_each(plan_.context(segment), gather);
  gather(segment.own);
  return {keys, values, nullptr, nullptr, head_dim};
}

// Queries of the tile, scaled by 1 / sqrt(head_dim).
void Attention::load_tile(const Tile& tile, const float* rows) const {
  const std::size_t head_dim = shape_.head_dim;
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
  float* queries = scratch_.queries.ensure(shape_.group() * kMaxTileRows * head_dim);
  for (std::size_t head = 0; head < shape_.group(); ++head) {
    const float* column = rows + (tile.kv_head * shape_.group() + head) * head_dim;
    for (std::size_t i = 0; i < tile.num_rows; ++i) {
      const float* source = column + (tile.first_token + i) * shape_.row_width();
      float* target = queries + (head * tile.num_rows + i) * head_dim;
      for (std::size_t d = 0; d < head_dim; ++d) {
        target[d] = source[d] * scale;
      }
    }
  }
}

void Attention::forward_tile(const Tile& tile, const Keys& keys, const AttentionForward& io) const {
  const TrainKernels& kernels = train_kernels();
  const std::size_t head_dim = shape_.head_dim;
  const std::size_t rows = shape_.group() * tile.num_rows;
  const std::size_t stride = padded(tile.num_keys);
  load_tile(tile, io.rows);
  float* scores = scratch_.scores.ensure(rows * stride);
  float* outs = scratch_.outs.ensure(shape_.group() * kMaxTileRows * head_dim);
  multiply({rows, tile.num_keys, head_dim},
           {scratch_.queries.data(), head_dim},
           {keys.keys, keys.stride, true},
           {scores, stride});
  const std::size_t first_valid = tile.num_keys - tile.num_rows + 1;
  float inverse_sum[kMaxTileRows];
  for (std::size_t head = 0; head < shape_.group(); ++head) {
    const std::size_t out_head = tile.kv_head * shape_.group() + head;
    for (std::size_t i = 0; i < tile.num_rows; ++i) {
      const SoftmaxSum sum = kernels.attention_softmax(
          scores + (head * tile.num_rows + i) * stride, first_valid + i, tile.num_keys);
      io.log_sum[(tile.first_token + i) * shape_.num_heads + out_head] =
          sum.maximum + std::log(sum.sum);
      inverse_sum[i] = 1.0F / sum.sum;
    }
    multiply({tile.num_rows, head_dim, tile.num_keys},
             {scores + head * tile.num_rows * stride, stride},
             {keys.values, keys.stride},
             {outs, head_dim});
    for (std::size_t i = 0; i < tile.num_rows; ++i) {
      float* target = io.out + (tile.first_token + i) * shape_.out_width() + out_head * head_dim;
      for (std::size_t d = 0; d < head_dim; ++d) {
        target[d] = outs[i * head_dim + d] * inverse_sum[i];
      }
    }
  }
}

void Attention::forward(const AttentionForward& io) const {
  for (const SegmentView& segment : plan_.segments) {
    const std::size_t length = segment.own.end - segment.own.begin;
    const std::size_t step = tile_rows(segment.num_context_tokens + length);
    for (std::size_t kv_head = 0; kv_head < shape_.num_kv_heads; ++kv_head) {
      const Keys keys = find_keys(segment, kv_head, io.rows);
      for (std::size_t begin = 0; begin < length; begin += step) {
        const std::size_t end = std::min(length, begin + step);
        forward_tile(
            {segment.own.begin + begin, end - begin, segment.num_context_tokens + end, kv_head},
            keys,
            io);
      }
    }
  }
}

void Attention::backward_tile(const Tile& tile,
                              const Keys& keys,
                              const AttentionBackward& io) const {
  const TrainKernels& kernels = train_kernels();
  const std::size_t head_dim = shape_.head_dim;
  const std::size_t rows = shape_.group() * tile.num_rows;
  const std::size_t stride = padded(tile.num_keys);
  const std::size_t first_head = tile.kv_head * shape_.group();
  load_tile(tile, io.rows);
  const float* queries = scratch_.queries.data();
  float* scores = scratch_.scores.ensure(rows * stride);
  float* d_scores = scratch_.d_scores.ensure(rows * stride);
  float* d_outs = scratch_.outs.ensure(shape_.group() * kMaxTileRows * head_dim);
  float* d_queries = scratch_.d_queries.ensure(shape_.group() * kMaxTileRows * head_dim);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t token = tile.first_token + row % tile.num_rows;
    const std::size_t head = first_head + row / tile.num_rows;
    std::copy_n(
        io.d_out + token * shape_.out_width() + head * head_dim, head_dim, d_outs + row * head_dim);
  }
  multiply({rows, tile.num_keys, head_dim},
           {queries, head_dim},
           {keys.keys, keys.stride, true},
           {scores, stride});
  multiply({rows, tile.num_keys, head_dim},
           {d_outs, head_dim},
           {keys.values, keys.stride, true},
           {d_scores, stride});
  const std::size_t first_valid = tile.num_keys - tile.num_rows + 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t i = row % tile.num_rows;
    const std::size_t token = tile.first_token + i;
    const std::size_t head = first_head + row / tile.num_rows;
    const float* out = io.out + token * shape_.out_width() + head * head_dim;
    kernels.attention_softmax_backward(
        {.scores = scores + row * stride,
         .d_p = d_scores + row * stride,
         .valid = first_valid + i,
         .length = tile.num_keys,
         .log_sum = io.log_sum[token * shape_.num_heads + head],
         .delta = kernels.dot(out, d_outs + row * head_dim, head_dim)});
  }
  multiply({rows, head_dim, tile.num_keys},
           {d_scores, stride},
           {keys.keys, keys.stride},
           {d_queries, head_dim});
  multiply_add({tile.num_keys, head_dim, rows},
               {d_scores, stride, true},
               {queries, head_dim},
               {keys.d_keys, keys.stride});
  multiply_add({tile.num_keys, head_dim, rows},
               {scores, stride, true},
               {d_outs, head_dim},
               {keys.d_values, keys.stride});
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t token = tile.first_token + row % tile.num_rows;
    const std::size_t head = first_head + row / tile.num_rows;
    float* target = io.d_rows + token * shape_.row_width() + head * head_dim;
    for (std::size_t d = 0; d < head_dim; ++d) {
      target[d] = d_queries[row * head_dim + d] * scale;
    }
  }
}

void Attention::add_key_gradients(const SegmentView& segment,
                                  std::size_t kv_head,
                                  float* d_rows) const {
  const TrainKernels& kernels = train_kernels();
  const std::size_t head_dim = shape_.head_dim;
  float* key_column = d_rows + (shape_.num_heads + kv_head) * head_dim;
  float* value_column = key_column + shape_.num_kv_heads * head_dim;
  std::size_t row = 0;
  const auto scatter = [&](TokenRange range) {
    for (std::size_t token = range.begin; token < range.end; ++token, ++row) {
      kernels.add_scaled(1.0F,
                         scratch_.d_keys.data() + row * head_dim,
                         key_column + token * shape_.row_width(),
                         head_dim);
      kernels.add_scaled(1.0F,
                         scratch_.d_values.data() + row * head_dim,
                         value_column + token * shape_.row_width(),
                         head_dim);
    }
  };
  std::ranges::for_each(plan_.context(segment), scatter);
  scatter(segment.own);
}

void Attention::backward(const AttentionBackward& io) const {
  const std::size_t head_dim = shape_.head_dim;
  std::fill_n(io.d_rows, plan_.position.size() * shape_.row_width(), 0.0F);
  for (const SegmentView& segment : plan_.segments) {
    const std::size_t length = segment.own.end - segment.own.begin;
    const std::size_t total = segment.num_context_tokens + length;
    const std::size_t step = tile_rows(total);
    for (std::size_t kv_head = 0; kv_head < shape_.num_kv_heads; ++kv_head) {
      Keys keys = find_keys(segment, kv_head, io.rows);
      if (segment.num_ranges == 0) {
        keys.d_keys = io.d_rows + (keys.keys - io.rows);
        keys.d_values = io.d_rows + (keys.values - io.rows);
      } else {
        keys.d_keys = scratch_.d_keys.ensure(total * head_dim);
        keys.d_values = scratch_.d_values.ensure(total * head_dim);
        std::fill_n(keys.d_keys, total * head_dim, 0.0F);
        std::fill_n(keys.d_values, total * head_dim, 0.0F);
      }
      for (std::size_t begin = 0; begin < length; begin += step) {
        const std::size_t end = std::min(length, begin + step);
        backward_tile(
            {segment.own.begin + begin, end - begin, segment.num_context_tokens + end, kv_head},
            keys,
            io);
      }
      if (segment.num_ranges > 0) {
        add_key_gradients(segment, kv_head, io.d_rows);
      }
    }
  }
}

}  // namespace dreamgym::internal
