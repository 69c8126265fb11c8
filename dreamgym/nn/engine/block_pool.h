// Memory for cache blocks, of the host or of a device.
//
// A block is a number and, in host memory, an address. Blocks given back are handed out again; the memory
// behind them goes with the BlockMemory. Thread safety and lifetimes are said at each class.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "dreamgym/base/mutex.h"
#include "dreamgym/nn/kernels/aligned_floats.h"

namespace dreamgym::engine {

struct CacheBlock {
  std::size_t index = 0;   ///< among all blocks of its memory
  float* start = nullptr;  ///< on a cache line; null in a device's memory
  bool used = false;       ///< something may have been written to it
};

/// Where the numbers of blocks are kept.
/// Thread safety: grow() by one at a time. Where a backend lets passes run in parallel, clear() and copy() of
/// different blocks may overlap it and each other.
class BlockMemory {
 public:
  virtual ~BlockMemory() = default;
  /// Makes room for more blocks, all zeros, numbered from the last one on. Returns where they start: at
  /// least one pointer, all of them null on a device. @throws Error kUnsupported if the device has no more.
  virtual std::vector<float*> grow() = 0;
  /// Makes the block zeros.
  virtual void clear(const CacheBlock& block) = 0;
  virtual void copy(const CacheBlock& from, const CacheBlock& to) = 0;
  [[nodiscard]] virtual std::size_t block_bytes() const = 0;
};

/// Host memory, in slabs of huge pages (kernels/aligned_floats.h).
class HostBlockMemory final : public BlockMemory {
 public:
  /// @param block_floats  floats of a block; a multiple of a cache line's.
  explicit HostBlockMemory(std::size_t block_floats) : block_floats_(block_floats) {}

  std::vector<float*> grow() override;
  void clear(const CacheBlock& block) override;
  void copy(const CacheBlock& from, const CacheBlock& to) override;
  [[nodiscard]] std::size_t block_bytes() const override { return block_floats_ * sizeof(float); }

 private:
  const std::size_t block_floats_;
  std::vector<AlignedFloats> slabs_;
};

/// Thread safety: all members may be called from any thread. Lifetime: the memory outlives the pool, the
/// pool its blocks.
class BlockPool {
 public:
  struct GiveBack {
    BlockPool* pool = nullptr;
    void operator()(CacheBlock* block) const noexcept { pool->give_back(block); }
  };
  using Block = std::unique_ptr<CacheBlock, GiveBack>;

  explicit BlockPool(BlockMemory& memory) : memory_(memory) {}

  /// A block of zeros.
  Block take() DREAMGYM_EXCLUDES(mutex_);
  /// A block with the contents of another.
  Block copy_of(const CacheBlock& original) DREAMGYM_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t block_bytes() const { return memory_.block_bytes(); }

 private:
  Block take_any() DREAMGYM_EXCLUDES(mutex_);
  void give_back(CacheBlock* block) noexcept DREAMGYM_EXCLUDES(mutex_);

  BlockMemory& memory_;
  Mutex mutex_;
  std::deque<CacheBlock> blocks_ DREAMGYM_GUARDED_BY(mutex_);
  // With room for every block there is, so that giving back never allocates.
  std::vector<CacheBlock*> free_ DREAMGYM_GUARDED_BY(mutex_);
};

}  // namespace dreamgym::engine
