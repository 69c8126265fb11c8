// What a generation engine computes with: weights as its device wants them, passes over them, and memory
// for keys and values.
//
// Thread safety: set_weights() and set_adapter() overlap nothing; the rest as said at what is returned.
// Lifetime: outlives its passes and whoever uses its memory.
#pragma once

#include <cstddef>
#include <memory>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/engine/block_pool.h"
#include "dreamgym/nn/engine/forward_pass.h"

namespace dreamgym::engine {

class Backend {
 public:
  virtual ~Backend() = default;

  /// Weights of the same shape, without an adapter. Where it fails nothing has changed.
  /// @throws Error kInvalidArgument for arrays that are missing or of another shape than the config says.
  virtual void set_weights(const TransformerWeights& weights) = 0;
  /// What is computed beside the weights from now on.
  /// @throws Error kInvalidArgument for an adapter that fits no projection of the model.
  virtual void set_adapter(const LoraAdapter& adapter) = 0;
  /// @param max_rows  most tokens of one run.
  virtual std::unique_ptr<ForwardPass> make_pass(std::size_t max_rows) = 0;
  /// Where the passes expect keys and values.
  virtual BlockMemory& block_memory() = 0;
  /// Most passes that may run at the same time.
  [[nodiscard]] virtual std::size_t max_parallel_passes() const = 0;
};

}  // namespace dreamgym::engine
