// Causal attention over a forest of segments, forward and backward, one layer.
//
// Each segment's queries meet the keys of its ancestors and its own in tiles of rows; scores live
// only inside a tile, and the backward pass recomputes them from the saved log-sums.
// Thread safety: none on one AttentionScratch.
#pragma once

#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/segment_plan.h"
#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {

struct AttentionShape {
  std::size_t num_heads = 0;
  std::size_t num_kv_heads = 0;
  std::size_t head_dim = 0;

  [[nodiscard]] std::size_t group() const { return num_heads / num_kv_heads; }
  [[nodiscard]] std::size_t out_width() const { return num_heads * head_dim; }
  /// Queries, then keys, then values.
  [[nodiscard]] std::size_t row_width() const { return (num_heads + 2 * num_kv_heads) * head_dim; }
};

/// Buffers that keep their memory between calls.
struct AttentionScratch {
  FloatBuffer keys, values, d_keys, d_values;  ///< [context + own, head_dim]
  FloatBuffer queries, outs, d_queries;        ///< [group * tile rows, head_dim]
  FloatBuffer scores, d_scores;                ///< [group * tile rows, padded context + own]

  [[nodiscard]] std::size_t bytes() const;
};

struct AttentionForward {
  const float* rows = nullptr;  ///< [tokens, row_width], positions already applied
  float* out = nullptr;         ///< [tokens, out_width], written
  float* log_sum = nullptr;     ///< [tokens, heads], written
};

struct AttentionBackward {
  const float* rows = nullptr;
  const float* out = nullptr;
  const float* log_sum = nullptr;
  const float* d_out = nullptr;  ///< [tokens, out_width]
  float* d_rows = nullptr;       ///< [tokens, row_width], written
};

class Attention {
 public:
  /// Borrows all three for its lifetime.
  Attention(const AttentionShape& shape, const SegmentPlan& plan, AttentionScratch& scratch)
      : shape_(shape), plan_(plan), scratch_(scratch) {}

  void forward(const AttentionForward& io) const;
  void backward(const AttentionBackward& io) const;

 private:
  struct Keys;
  struct Tile;

  [[nodiscard]] Keys find_keys(const SegmentView& segment,
                               std::size_t kv_head,
                               const float* rows) const;
  [[nodiscard]] std::size_t tile_rows(std::size_t num_keys) const;
  void load_tile(const Tile& tile, const float* rows) const;
  void forward_tile(const Tile& tile, const Keys& keys, const AttentionForward& io) const;
  void backward_tile(const Tile& tile, const Keys& keys, const AttentionBackward& io) const;
  void add_key_gradients(const SegmentView& segment, std::size_t kv_head, float* d_rows) const;

  const AttentionShape& shape_;
  const SegmentPlan& plan_;
  AttentionScratch& scratch_;
};

}  // namespace dreamgym::internal
