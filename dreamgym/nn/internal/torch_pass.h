// The forward pass by operations of libtorch, on any of its devices.
//
// Rows of all sequences share the matrix products; attention gathers the blocks of sequences with equally
// many new tokens. Only outputs' logits and, for convolutions, tails come back to the host. Sums are
// libtorch's: what a row becomes depends on its neighbours in the last bits.
//
// In bf16, products round their results to it and meet activations that are; norms, the residual stream,
// convolutions, adapters and logits are fp32.
//
// Thread safety: none. Lifetime: the model, which may change between runs, and the blocks outlive the pass.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dreamgym/nn/engine/cached_sequence.h"
#include "dreamgym/nn/engine/forward_pass.h"
#include "dreamgym/nn/internal/torch_blocks.h"
#include "dreamgym/nn/internal/torch_placement.h"
#include "dreamgym/nn/internal/torch_transformer.h"

namespace dreamgym::internal {

class TorchPass final : public engine::ForwardPass {
 public:
  /// @param num_threads  of libtorch on the CPU.
  TorchPass(const TorchTransformer& model,
            const TorchBlockMemory& blocks,
            std::size_t max_rows,
            std::size_t num_threads);

  [[nodiscard]] std::size_t max_rows() const override { return max_rows_; }
  void run(std::span<const engine::PassPart> parts) override;
  const float* logits(std::size_t first, std::size_t count) override;
  [[nodiscard]] std::size_t logits_stride() const override;
  void token_logits(std::size_t output,
                    std::span<const TokenId> tokens,
                    std::vector<float>& logits) override;

 private:
  void compute(std::span<const engine::PassPart> parts);
  void send_tails(std::span<const engine::PassPart> parts);
  void keep_tails(std::span<const engine::PassPart> parts);
  at::Tensor prepare_input(const at::Tensor& residual, const TorchInput& input);
  at::Tensor run_attention(const at::Tensor& input, std::size_t layer);
  at::Tensor attend(const at::Tensor& queries, const AttentionGroup& group, std::size_t layer);
  [[nodiscard]] at::Tensor run_mlp(const at::Tensor& input, std::size_t layer) const;

  const TorchTransformer& model_;
  const TorchBlockMemory& blocks_;
  const engine::CacheShape shape_;  // of the sequences' tails
  const std::size_t max_rows_;
  const int num_threads_;

  Placement placement_;
  at::Tensor cosines_;               // [rows, 1, head_dim / 2] of this pass
  at::Tensor sines_;                 // the same
  at::Tensor tails_;                 // [num_tails, parts * tail_rows, hidden] before the pass
  std::vector<at::Tensor> entered_;  // [rows, hidden] of each convolution so far
  at::Tensor outputs_;               // [outputs, hidden]
  at::Tensor logits_;                // on the host
};

}  // namespace dreamgym::internal
