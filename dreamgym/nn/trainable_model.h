// The transformer with gradients. libtorch stays behind this header.
//
// Losses are written elsewhere as pure functions of log-probabilities (train/); this class turns a
// batch into log-probabilities and takes the loss's derivative with respect to each of them back to
// the weights. Full logits are never held: the head, softmax and gather run in chunks.
//
// Determinism: micro-batches are computed each on one thread and their gradients are added in index
// order, so results do not depend on num_threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/compute_type.h"
#include "dreamgym/nn/packed_batch.h"

namespace dreamgym {

/// What the model says of one TokenQuery.
struct TokenScore {
  float logprob =
      0;  ///< of the target, over the allowed set at the query's temperature; natural log
  float entropy = 0;  ///< of that distribution, nats
};

/// d loss / d(score) of each query of a micro-batch.
struct TokenGradient {
  float logprob = 0;
  float entropy = 0;
};

/// Computes the loss's derivative for one micro-batch. Called from worker threads, at most once per
/// micro-batch; must not depend on the order of calls.
using LossGradient = std::function<std::vector<TokenGradient>(std::size_t micro_batch,
                                                              std::span<const TokenScore> scores)>;

enum class OptimizerKind { kAdamW, kMuon };

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kAdamW;
  double learning_rate = 3e-4;  ///< AdamW; with Muon: for embeddings, norms and convolutions
  double muon_learning_rate =
      0.02;  ///< hidden matrices; momentum 0.95, Nesterov, 5 Newton-Schulz steps
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.05;
  bool decay_all = false;          ///< norm gains, biases and taps decay too
  double max_gradient_norm = 1.0;  ///< global 2-norm clip; <= 0 = none
};

struct UpdateResult {
  double gradient_norm = 0;  ///< before clipping
  bool skipped = false;      ///< a gradient was not finite: nothing changed
};

/// Thread safety: none; one call at a time, threads inside.
class TrainableModel {
 public:
  /// Trains all weights.
  TrainableModel(TransformerWeights weights, std::size_t num_threads);
  /// Trains the adapter; the weights stay as they are.
  /// @throws Error kInvalidArgument for an adapter that fits no projection of the model.
  TrainableModel(TransformerWeights weights, LoraAdapter adapter, std::size_t num_threads);
  ~TrainableModel();
  TrainableModel(TrainableModel&&) noexcept;
  TrainableModel& operator=(TrainableModel&&) noexcept;

  /// Whether accumulate() keeps the layers' inputs only and computes the rest again before each
  /// layer's backward pass: the same numbers, bit for bit, in less memory and a third more time.
  void set_recompute(bool recompute);
  /// In which numbers products with weights (of the layers, the adapter and the head) are computed,
  /// forward and backward; fp32 to begin with. Weights, gradients, moments, norms, attention and
  /// sums are fp32 in either, and so is the head of a query with an allowed set.
  /// @throws LogicError where the machine can't (can_compute(), compute_type_named()).
  void set_compute(ComputeType type);
  [[nodiscard]] ComputeType compute() const;

  [[nodiscard]] const TransformerConfig& config() const;
  [[nodiscard]] std::size_t num_threads() const;
  /// Copies the present weights out, the adapter merged into them, named `version`.
  [[nodiscard]] TransformerWeights weights(const std::string& version) const;
  /// Replaces the weights (under an adapter: the frozen ones); shapes must be equal. The
  /// optimiser's state is kept.
  void set_weights(const TransformerWeights& weights);
  /// The adapter as it is now, or nothing where all weights are trained.
  [[nodiscard]] std::optional<LoraAdapter> adapter() const;
  /// Replaces the adapter's values. @throws Error kInvalidArgument unless it is of the same shape.
  void set_adapter(const LoraAdapter& adapter);

  /// Scores of every query, one vector per micro-batch. No gradients.
  [[nodiscard]] std::vector<std::vector<TokenScore>> score(
      std::span<const PackedBatch> batches) const;

  /// The same under another adapter on the same frozen weights: the reference of a KL term, at the cost
  /// of no second copy. @throws Error kInvalidArgument unless it is of the shape of the one being
  /// trained.
  [[nodiscard]] std::vector<std::vector<TokenScore>> score_under(
      const LoraAdapter& adapter, std::span<const PackedBatch> batches) const;

  /// Forward and backward over all micro-batches; gradients are added to those already there.
  /// Returns the scores of the forward pass. What `loss` throws is rethrown, and all accumulated
  /// gradients are then forgotten.
  std::vector<std::vector<TokenScore>> accumulate(std::span<const PackedBatch> batches,
                                                  const LossGradient& loss);
  /// One optimiser step with what has been accumulated; then gradients are zero again.
  /// @param scale  multiplies the learning rates (a schedule's value).
  UpdateResult update(const OptimizerConfig& config, double scale = 1.0);
  /// Forgets accumulated gradients.
  void discard_gradients();

  /// Optimiser moments and step counter as bytes for a checkpoint, and back.
  [[nodiscard]] std::string optimizer_state() const;
  void set_optimizer_state(const std::string& bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Bytes of a thread of accumulate() beside its activations: gradients of a layer and of what is
/// outside the layers, or of an adapter; a chunk of logits; packed factors of products.
/// @param low_rank  numbers of the adapter; 0 = all weights are trained.
std::size_t training_bytes_per_thread(const TransformerConfig& config, std::size_t low_rank = 0);

/// Tokens a micro-batch may hold so that activations stay under `bytes`, and the bytes of one
/// token.
/// @param recompute  as set_recompute().
std::size_t activation_bytes_per_token(const TransformerConfig& config, bool recompute = false);

}  // namespace dreamgym
