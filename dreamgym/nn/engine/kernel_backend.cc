#include "dreamgym/nn/engine/kernel_backend.h"

#include "dreamgym/nn/engine/transformer_pass.h"

namespace dreamgym::engine {

KernelBackend::KernelBackend(const TransformerWeights& weights,
                             const Kernels& kernels,
                             KernelNumbers numbers)
    : kernels_(kernels),
      numbers_(numbers),
      model_(pack_transformer(weights, numbers.weights)),
      memory_(CacheShape(model_.config, numbers.cache).block_floats) {}

void KernelBackend::set_weights(const TransformerWeights& weights) {
  model_ = pack_transformer(weights, numbers_.weights);
}

void KernelBackend::set_adapter(const LoraAdapter& adapter) {
  model_.adapter = pack_adapter(adapter, model_.config);
}

std::unique_ptr<ForwardPass> KernelBackend::make_pass(std::size_t max_rows) {
  return std::make_unique<TransformerPass>(model_, kernels_, numbers_.cache, max_rows);
}

}  // namespace dreamgym::engine
