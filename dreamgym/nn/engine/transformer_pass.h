// The forward pass by our own kernels.
//
// Rows of all sequences share the matrix products; attention and convolution run per sequence. What
// a row becomes depends only on its own sequence, never on its neighbours (kernels.h). The model's
// adapter, if it has one, is computed beside its matrices; it may change from one run() to the next.
//
// Thread safety: none; one per thread, the model may be shared.
// Lifetime: the model and the kernels outlive the pass.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/engine/forward_pass.h"
#include "dreamgym/nn/engine/packed_transformer.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

class TransformerPass final : public ForwardPass {
 public:
  /// @param cache_format  of the sequences' keys and values.
  /// @param max_rows      most tokens of one call of run().
  TransformerPass(const PackedTransformer& model,
                  const Kernels& kernels,
                  NumberFormat cache_format,
                  std::size_t max_rows);

  [[nodiscard]] std::size_t max_rows() const override { return max_rows_; }
  void run(std::span<const PassPart> parts) override;
  /// The normalised hidden row [hidden_stride] that predicts what follows.
  [[nodiscard]] const float* output(std::size_t index) const;
  const float* logits(std::size_t first, std::size_t count) override;
  [[nodiscard]] std::size_t logits_stride() const override { return model_.head.columns(); }
  void token_logits(std::size_t output,
                    std::span<const TokenId> tokens,
                    std::vector<float>& logits) override;

 private:
  struct PlacedPart {
    PassPart part;
    std::size_t first_row = 0;
    std::size_t position = 0;  // of its first token
  };

  // Parts of one token each whose sequences begin with the same blocks.
  struct Together {
    std::vector<std::size_t> parts;
    std::size_t shared_blocks = 0;
  };

  // Query heads that share a key-value head.
  [[nodiscard]] std::size_t heads_a_group() const {
    return static_cast<std::size_t>(model_.config.num_heads) / shape_.num_kv_heads;
  }
  void place(std::span<const PassPart> parts);
  void find_together();
  void embed();
  void prepare_input(const PackedInput& input, std::size_t tail_index);
  void run_attention(std::size_t layer);
  void finish_heads(const PlacedPart& placed, const PackedLayer& layer);
  void rotate_and_store(const PlacedPart& placed, std::size_t layer);
  [[nodiscard]] AttentionTask attention_task(const PlacedPart& placed, std::size_t layer, std::size_t head);
  void attend(const PlacedPart& placed, std::size_t layer);
  void attend(const Together& together, std::size_t layer);
  void run_mlp(std::size_t layer);
  void multiply(void (*kernel)(const PanelProduct&),
                const AlignedFloats& left,
                const PackedMatrix& matrix,
                AlignedFloats& out);
  void fit_adapter();
  void add_terms(const PackedTerms& terms, const AlignedFloats& left, AlignedFloats& out);
  void keep_output_rows();
  void normalize_outputs();

  const PackedTransformer& model_;
  const Kernels& kernels_;
  CacheShape shape_;
  std::size_t max_rows_;
  std::size_t num_rows_ = 0;  // behind the last attention: of the outputs alone
  std::vector<PlacedPart> parts_;
  std::vector<Together> together_;
  std::vector<std::size_t> alone_;  // the parts that are in none of them
  std::vector<AttentionMember> members_;

  AlignedFloats residual_;    // [max_rows, hidden_stride]
  AlignedFloats normalized_;  // [tail_rows + max_rows, hidden_stride], one part at a time
  AlignedFloats input_;       // [max_rows, hidden_stride]
  AlignedFloats heads_;       // [max_rows, query_key_value.columns()]
  AlignedFloats attended_;    // [max_rows, attended_stride]
  AlignedFloats activated_;   // [max_rows, gate_up.columns() / 2]
  AlignedFloats gate_up_;     // [max_rows, gate_up.columns()], only under an adapter
  AlignedFloats low_rank_;    // [max_rows, adapter.inner_columns], likewise
  AlignedFloats outputs_;     // [max_rows, hidden_stride]
  AlignedFloats logits_;      // grows to what is asked for
  AlignedFloats product_scratch_;
  AlignedFloats attention_scratch_;
};

}  // namespace dreamgym::engine
