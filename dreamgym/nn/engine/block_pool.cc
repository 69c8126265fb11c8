#include "dreamgym/nn/engine/block_pool.h"

#include <algorithm>

namespace dreamgym::engine {
namespace {

// Large enough that what is left over at a slab's end is little.
constexpr std::size_t kBlocksPerSlab = 16;

}  // namespace

std::vector<float*> HostBlockMemory::grow() {
  constexpr std::size_t kHugePageFloats = CacheLineAllocator<float>::kHugePage / sizeof(float);
  const std::size_t floats = round_up(kBlocksPerSlab * block_floats_, kHugePageFloats);
  AlignedFloats& slab = slabs_.emplace_back(floats);
  std::vector<float*> starts(floats / block_floats_);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    starts[i] = slab.data() + i * block_floats_;
  }
  return starts;
}

void HostBlockMemory::clear(const CacheBlock& block) {
  std::fill_n(block.start, block_floats_, 0.0F);
}

void HostBlockMemory::copy(const CacheBlock& from, const CacheBlock& to) {
  std::copy_n(from.start, block_floats_, to.start);
}

BlockPool::Block BlockPool::take() {
  Block block = take_any();
  if (block->used) {
    memory_.clear(*block);
  }
  block->used = true;
  return block;
}

BlockPool::Block BlockPool::copy_of(const CacheBlock& original) {
  Block block = take_any();
  block->used = true;
  memory_.copy(original, *block);
  return block;
}

BlockPool::Block BlockPool::take_any() {
  const MutexLock lock(mutex_);
  if (free_.empty()) {
    const std::vector<float*> starts = memory_.grow();
    const std::size_t first = blocks_.size();
    for (float* start : starts) {
      blocks_.push_back({.index = blocks_.size(), .start = start});
    }
    free_.reserve(blocks_.size());
    for (std::size_t i = blocks_.size(); i > first; --i) {
      free_.push_back(&blocks_[i - 1]);
    }
  }
  Block block(free_.back(), {this});
  free_.pop_back();
  return block;
}

void BlockPool::give_back(CacheBlock* block) noexcept {
  const MutexLock lock(mutex_);
  free_.push_back(block);
}

}  // namespace dreamgym::engine
