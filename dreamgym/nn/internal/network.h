// One micro-batch through the transformer and back, on one thread.
//
// Activations kept for the backward pass, per layer: the block's inputs, inverse norms, rotated
// query/key/value rows, attention output and log-sums, gate and up. Normalised and convolved
// inputs, softmax weights and SwiGLU outputs are computed again. Past the last attention only rows
// that some query reads are computed. With Keep::kInputs only the layers' inputs are kept, and each
// layer is computed again before its backward pass: the same numbers for a third more time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dreamgym/nn/internal/attention.h"
#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/head.h"
#include "dreamgym/nn/internal/head_norm.h"
#include "dreamgym/nn/internal/linear.h"
#include "dreamgym/nn/internal/parameter_layout.h"
#include "dreamgym/nn/internal/segment_plan.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym::internal {

/// What is kept of one layer; N tokens, A = N or, in the last layer, the rows queries read.
struct LayerActivations {
  FloatBuffer x;                ///< [N, hidden] input
  FloatBuffer attention_norm;   ///< [N] inverse rms
  FloatBuffer query_key_value;  ///< [N, query + 2 kv], rotated
  FloatBuffer plain_heads;      ///< [N, query + kv] before their norm; only with config.qk_norm
  FloatBuffer head_norms;       ///< [N, heads + kv heads] inverse rms; the same
  FloatBuffer attention_out;    ///< [N, query]
  FloatBuffer log_sum;          ///< [N, heads]
  FloatBuffer middle;           ///< [N, hidden] after attention
  FloatBuffer mlp_norm;         ///< [N] inverse rms
  FloatBuffer gate_up;          ///< [A, 2 intermediate]
};

/// What a forward pass leaves behind.
enum class Keep {
  kNothing,  ///< layers share their memory; no backward pass
  kInputs,   ///< of the layers; the rest is computed again
  kAll,
};

/// Memory of one thread, kept from batch to batch.
struct Workspace {
  std::vector<LayerActivations> layers;  ///< one only, unless all is kept
  std::vector<FloatBuffer> inputs;       ///< of each layer, with Keep::kInputs
  FloatBuffer cosine, sine;       ///< [positions, head_dim / 2]
  FloatBuffer z, d_z;             ///< [N + 1, hidden]
  FloatBuffer convolved;          ///< [N, hidden]
  FloatBuffer d_convolved;        ///< [N, hidden]
  FloatBuffer d_x;                ///< [N, hidden]
  FloatBuffer d_attention;        ///< [N, query]
  FloatBuffer d_query_key_value;  ///< [N, query + 2 kv]
  FloatBuffer chunk, d_chunk;     ///< [chunk, intermediate]
  FloatBuffer d_gate_up;          ///< [chunk, 2 intermediate]
  FloatBuffer last, final_norm;   ///< [A, hidden], [A]
  FloatBuffer hidden, d_hidden;   ///< [A, hidden]
  FloatBuffer active, d_active;   ///< [A, hidden]
  FloatBuffer unwanted;           ///< gradients of frozen gains and taps
  AttentionScratch attention;
  HeadNormScratch head_norm;
  LowRankScratch low_rank;
  Head head;
  std::size_t num_positions = 0;  ///< in cosine and sine

  [[nodiscard]] std::size_t bytes() const;
};

class Network {
 public:
  /// Borrows everything for its lifetime.
  Network(const TransformerConfig& config,
          const ParameterLayout& layout,
          const NetworkWeights& weights);

  /// @throws Error kInvalidArgument if a sequence is longer than the model's positions.
  std::vector<TokenScore> forward(const PackedBatch& batch, Workspace& workspace, Keep keep);
  /// After a forward() of the same batch that kept something.
  void backward(std::span<const TokenGradient> gradients,
                Workspace& workspace,
                const NetworkGradients& wanted);

 private:
  [[nodiscard]] NormConvolution norm_of(std::size_t gain, std::size_t taps) const;
  [[nodiscard]] Rotation rotation(const Workspace& workspace, float direction) const;
  [[nodiscard]] bool is_last(std::size_t layer) const { return layer + 1 == layout_.layers.size(); }
  [[nodiscard]] HeadInput head_input(const Workspace& workspace) const;
  [[nodiscard]] HeadNorm head_norm_of(const LayerOffsets& at) const;
  [[nodiscard]] LinearShape query_key_value_of(std::size_t layer) const;
  [[nodiscard]] LinearShape attention_out_of(std::size_t layer) const;
  [[nodiscard]] LinearShape gate_up_of(std::size_t layer) const;
  [[nodiscard]] LinearShape down_of(std::size_t layer) const;
  [[nodiscard]] const LayerTerms* terms_of(std::size_t layer) const;
  void embed(float* x) const;
  void attend(std::size_t layer, LayerActivations& kept, Workspace& workspace) const;
  void feed_forward(std::size_t layer,
                    LayerActivations& kept,
                    Workspace& workspace,
                    float* out) const;
  void compute_again(std::size_t layer, Workspace& workspace) const;
  [[nodiscard]] LayerActivations& kept_of(std::size_t layer, Workspace& workspace) const;
  void attend_backward(std::size_t layer,
                       Workspace& workspace,
                       const NetworkGradients& wanted) const;
  [[nodiscard]] float* gain_gradient(std::size_t offset,
                                     const NetworkGradients& wanted,
                                     Workspace& workspace) const;
  void heads_backward(std::size_t layer,
                      Workspace& workspace,
                      const NetworkGradients& wanted) const;
  void feed_forward_backward(std::size_t layer,
                             Workspace& workspace,
                             const NetworkGradients& wanted) const;
  void final_backward(Workspace& workspace, const NetworkGradients& wanted) const;

  const TransformerConfig& config_;
  const ParameterLayout& layout_;
  NetworkWeights weights_;
  AttentionShape shape_;
  std::size_t hidden_ = 0;
  std::size_t intermediate_ = 0;
  const PackedBatch* batch_ = nullptr;
  SegmentPlan plan_;
  std::vector<std::uint32_t> sources_;
  std::size_t num_tokens_ = 0;
  Keep keep_ = Keep::kNothing;
};

/// Makes cosine and sine hold at least `num_positions` rows.
void ensure_rotary_table(const TransformerConfig& config,
                         std::size_t num_positions,
                         Workspace& workspace);

}  // namespace dreamgym::internal
