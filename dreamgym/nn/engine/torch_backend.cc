#include "dreamgym/nn/engine/torch_backend.h"

#include <string>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/engine/number_names.h"
#include "dreamgym/nn/internal/torch_blocks.h"
#include "dreamgym/nn/internal/torch_device.h"
#include "dreamgym/nn/internal/torch_pass.h"
#include "dreamgym/nn/internal/torch_transformer.h"

namespace dreamgym::engine {
namespace {

at::ScalarType type_of(NumberFormat format, const char* what, const EngineConfig& config) {
  if (format == NumberFormat::kFloat32 || format == NumberFormat::kBFloat16) {
    return format == NumberFormat::kFloat32 ? at::kFloat : at::kBFloat16;
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("generation engine on device \"{}\" with {} in {}",
                          config.device,
                          what,
                          format == NumberFormat::kInt8 ? "int8" : "int16"),
              "on a device of libtorch weights and cache are fp32 or bf16; int8 and int16 are of the "
              "engine's own kernels, without a device");
}

class TorchBackend final : public Backend {
 public:
  TorchBackend(const TransformerWeights& weights, const EngineConfig& config)
      : device_(internal::torch_device(config.device)),
        type_(type_of(weight_format(config.weights), "weights", config)),
        num_threads_(config.num_threads),
        blocks_(weights.config, device_, type_of(cache_format(config.cache), "its cache", config)),
        model_(internal::torch_transformer(weights, device_, type_)) {}

  void set_weights(const TransformerWeights& weights) override {
    model_ = internal::torch_transformer(weights, device_, type_);
  }
  void set_adapter(const LoraAdapter& adapter) override {
    model_.adapter = internal::torch_adapter(adapter, model_.config, device_);
  }
  std::unique_ptr<ForwardPass> make_pass(std::size_t max_rows) override {
    return std::make_unique<internal::TorchPass>(model_, blocks_, max_rows, num_threads_);
  }
  BlockMemory& block_memory() override { return blocks_; }
  // An operation uses all threads itself, and the slab moves when it grows.
  [[nodiscard]] std::size_t max_parallel_passes() const override { return 1; }

 private:
  const at::Device device_;
  const at::ScalarType type_;
  const std::size_t num_threads_;
  internal::TorchBlockMemory blocks_;
  internal::TorchTransformer model_;
};

}  // namespace

std::unique_ptr<Backend> make_torch_backend(const TransformerWeights& weights,
                                            const EngineConfig& config) {
  return std::make_unique<TorchBackend>(weights, config);
}

}  // namespace dreamgym::engine
