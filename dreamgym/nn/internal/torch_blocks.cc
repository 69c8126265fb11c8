#include "dreamgym/nn/internal/torch_blocks.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <ATen/ops/zeros.h>

#include "dreamgym/nn/internal/torch_device.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::internal {
namespace {

constexpr std::int64_t kFirstBlocks = 16;

}  // namespace

TorchBlockMemory::TorchBlockMemory(const TransformerConfig& config,
                                   at::Device device,
                                   at::ScalarType type)
    : device_(device),
      type_(type),
      shape_{0,
             config.num_layers,
             2,
             static_cast<std::int64_t>(kPanelWidth),
             config.num_kv_heads,
             config.head_dim} {}

std::vector<float*> TorchBlockMemory::grow() {
  const std::int64_t before = shape_.front();
  on_torch(device_, [&] {
    std::vector<std::int64_t> shape = shape_;
    shape.front() = std::max(kFirstBlocks, 2 * before);
    at::Tensor larger = at::zeros(shape, at::TensorOptions(type_).device(device_));
    if (before > 0) {
      larger.narrow(0, 0, before).copy_(slab_);
    }
    slab_ = larger;
    shape_ = shape;
  });
  return std::vector<float*>(static_cast<std::size_t>(shape_.front() - before), nullptr);
}

void TorchBlockMemory::clear(const engine::CacheBlock& block) {
  on_torch(device_, [&] { slab_.select(0, static_cast<std::int64_t>(block.index)).zero_(); });
}

void TorchBlockMemory::copy(const engine::CacheBlock& from, const engine::CacheBlock& to) {
  on_torch(device_, [&] {
    slab_.select(0, static_cast<std::int64_t>(to.index))
        .copy_(slab_.select(0, static_cast<std::int64_t>(from.index)));
  });
}

std::size_t TorchBlockMemory::block_bytes() const {
  const auto numbers = std::accumulate(
      shape_.begin() + 1, shape_.end(), std::int64_t{1}, std::multiplies<>());
  return static_cast<std::size_t>(numbers) * c10::elementSize(type_);
}

at::Tensor TorchBlockMemory::part(std::size_t layer, std::int64_t which) const {
  return slab_.select(1, static_cast<std::int64_t>(layer)).select(1, which);
}

}  // namespace dreamgym::internal
