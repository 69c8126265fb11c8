// The language-model head fused with softmax: log-probability and entropy of each query, and back.
//
// Logits exist for one chunk of queries at a time; the backward pass computes them again. A query
// with an allowed set only pays for the ids in it, in fp32.
// Thread safety: none on one Head.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/nn/compute_type.h"
#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/packed_batch.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym::internal {

/// Queries whose logits are held at once.
std::size_t logits_chunk_rows(std::size_t vocab_size);

struct HeadWeights {
  const float* matrix = nullptr;  ///< [vocab, width]
  std::size_t vocab_size = 0;
  std::size_t width = 0;
  ComputeType compute = ComputeType::kFloat32;
};

/// What the queries read: the final normalised rows, one per distinct source token.
struct HeadInput {
  const PackedBatch* batch = nullptr;
  std::span<const std::uint32_t> sources;  ///< [rows], ascending tokens of the batch
  const float* hidden = nullptr;           ///< [rows, width]
};

struct HeadGradients {
  std::span<const TokenGradient> queries;
  float* d_hidden = nullptr;  ///< [rows, width], added to
  float* d_matrix = nullptr;  ///< [vocab, width], added to; null: frozen
};

class Head {
 public:
  std::vector<TokenScore> forward(const HeadWeights& weights, const HeadInput& input);
  /// After forward() on the same input.
  void backward(const HeadWeights& weights, const HeadInput& input, const HeadGradients& gradients);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Chunk;
  void prepare(const HeadInput& input);
  void score_chunk(const HeadWeights& weights, const HeadInput& input, const Chunk& chunk);
  void score_allowed(const HeadWeights& weights, const HeadInput& input, std::size_t query);
  void fill_logits(const HeadWeights& weights, const HeadInput& input, const Chunk& chunk);
  void fill_allowed(const HeadWeights& weights, const HeadInput& input, std::size_t query);
  /// Turns a row of logits into d logits.
  void differentiate(const TokenQuery& query,
                     std::size_t index,
                     const TokenGradient& gradient,
                     std::span<float> logits) const;
  void backward_chunk(const HeadWeights& weights,
                      const HeadInput& input,
                      const Chunk& chunk,
                      const HeadGradients& gradients);
  void backward_allowed(const HeadWeights& weights,
                        const HeadInput& input,
                        std::size_t query,
                        const HeadGradients& gradients);

  std::vector<std::size_t> row_of_query_;  ///< index into HeadInput::hidden
  std::vector<std::size_t> open_queries_;  ///< those over the whole vocabulary
  std::vector<std::size_t> allowed_queries_;
  std::vector<TokenScore> scores_;
  std::vector<float> log_sums_;  ///< of each query's scaled logits
  FloatBuffer logits_, rows_, d_rows_;
};

}  // namespace dreamgym::internal
