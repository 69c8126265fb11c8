#include "dreamgym/nn/internal/head_norm.h"

#include <algorithm>

#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {
namespace {

// The heads of one token as the rows of a norm without convolution.
NormConvolution rows_of(const HeadNorm& norm, std::size_t num_heads, const float* gain) {
  return {.num_rows = num_heads,
          .width = norm.shape.head_dim,
          .num_taps = 0,
          .epsilon = norm.epsilon,
          .gain = gain,
          .taps = nullptr,
          .predecessor = nullptr};
}

// Runs f(number of heads, gain, first head) for a token's queries and for its keys.
template <class F>
void for_queries_and_keys(const HeadNorm& norm, const F& f) {
  f(norm.shape.num_heads, norm.query_gain, std::size_t{0});
  f(norm.shape.num_kv_heads, norm.key_gain, norm.shape.num_heads);
}

}  // namespace

void normalize_heads(const HeadNorm& norm,
                     std::size_t num_rows,
                     float* rows,
                     float* before,
                     float* inverse_rms,
                     HeadNormScratch& scratch) {
  const std::size_t head_dim = norm.shape.head_dim;
  const std::size_t num_heads = norm.shape.num_heads + norm.shape.num_kv_heads;
  float* z = scratch.z.ensure((num_heads + 1) * head_dim);
  for (std::size_t t = 0; t < num_rows; ++t) {
    float* row = rows + t * norm.shape.row_width();
    float* kept = before + t * num_heads * head_dim;
    std::copy_n(row, num_heads * head_dim, kept);
    for_queries_and_keys(norm, [&](std::size_t count, const float* gain, std::size_t first) {
      train_kernels().norm_convolve(rows_of(norm, count, gain),
                                    {.x = kept + first * head_dim,
                                     .inverse_rms = inverse_rms + t * num_heads + first,
                                     .z = z,
                                     .out = row + first * head_dim});
    });
  }
}

void normalize_heads_backward(const HeadNorm& norm,
                              std::size_t num_rows,
                              const HeadNormBackward& io,
                              HeadNormScratch& scratch) {
  const std::size_t head_dim = norm.shape.head_dim;
  const std::size_t num_heads = norm.shape.num_heads + norm.shape.num_kv_heads;
  float* d_z = scratch.d_z.ensure((num_heads + 1) * head_dim);
  float* d_heads = scratch.d_heads.ensure(num_heads * head_dim);
  for (std::size_t t = 0; t < num_rows; ++t) {
    float* d_row = io.d_rows + t * norm.shape.row_width();
    std::fill_n(d_heads, num_heads * head_dim, 0.0F);
    for_queries_and_keys(norm, [&](std::size_t count, const float* gain, std::size_t first) {
      train_kernels().norm_convolve_backward(
          rows_of(norm, count, gain),
          {.x = io.before + (t * num_heads + first) * head_dim,
           .inverse_rms = io.inverse_rms + t * num_heads + first,
           .z = nullptr,
           .d_out = d_row + first * head_dim,
           .d_z = d_z,
           .d_x = d_heads + first * head_dim,
           .d_gain = first == 0 ? io.d_query_gain : io.d_key_gain,
           .d_taps = nullptr});
    });
    std::copy_n(d_heads, num_heads * head_dim, d_row);
  }
}

}  // namespace dreamgym::internal
