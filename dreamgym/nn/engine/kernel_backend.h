// The backend of our own kernels: packed weights and blocks in host memory.
//
// Thread safety, lifetime: as Backend; the kernels outlive it.
#pragma once

#include <limits>

#include "dreamgym/nn/engine/backend.h"
#include "dreamgym/nn/engine/packed_transformer.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

struct KernelNumbers {
  NumberFormat weights = NumberFormat::kFloat32;
  NumberFormat cache = NumberFormat::kFloat32;
};

class KernelBackend final : public Backend {
 public:
  /// @throws Error as pack_transformer().
  KernelBackend(const TransformerWeights& weights, const Kernels& kernels, KernelNumbers numbers);

  void set_weights(const TransformerWeights& weights) override;
  void set_adapter(const LoraAdapter& adapter) override;
  std::unique_ptr<ForwardPass> make_pass(std::size_t max_rows) override;
  BlockMemory& block_memory() override { return memory_; }
  [[nodiscard]] std::size_t max_parallel_passes() const override {
    return std::numeric_limits<std::size_t>::max();
  }

 private:
  const Kernels& kernels_;
  KernelNumbers numbers_;
  PackedTransformer model_;
  HostBlockMemory memory_;
};

}  // namespace dreamgym::engine
