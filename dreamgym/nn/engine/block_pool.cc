#include "dreamgym/nn/engine/block_pool.h"

#include <algorithm>

namespace dreamgym::engine {
namespace {

// Large enough that what is left over at a slab's end is little.
constexpr std::size_t kBlocksPerSlab = 16;

}  // namespace

BlockPool::BlockPool(std::size_t block_floats) : block_floats_(block_floats) {}

BlockPool::Block BlockPool::take() {
  const MutexLock lock(mutex_);
  if (free_.empty()) {
    add_slab();
  }
  Block block(free_.back(), {this});
  free_.pop_back();
  return block;
}

void BlockPool::give_back(float* block) noexcept {
  std::fill_n(block, block_floats_, 0.0F);
  const MutexLock lock(mutex_);
  free_.push_back(block);
}

void BlockPool::add_slab() {
  constexpr std::size_t kHugePageFloats = CacheLineAllocator<float>::kHugePage / sizeof(float);
  const std::size_t floats = round_up(kBlocksPerSlab * block_floats_, kHugePageFloats);
  const std::size_t count = floats / block_floats_;
  free_.reserve((slabs_.size() + 1) * count);
  AlignedFloats& slab = slabs_.emplace_back(floats);
  for (std::size_t i = count; i > 0; --i) {
    free_.push_back(slab.data() + (i - 1) * block_floats_);
  }
}

}  // namespace dreamgym::engine
