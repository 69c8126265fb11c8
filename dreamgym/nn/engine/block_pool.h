// Memory for cache blocks, cut from slabs of huge pages (kernels/aligned_floats.h).
//
// Blocks given back are handed out again; slabs are freed with the pool.
// Thread safety: all members may be called from any thread. Lifetime: outlives its blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dreamgym/base/mutex.h"
#include "dreamgym/nn/kernels/aligned_floats.h"

namespace dreamgym::engine {

class BlockPool {
 public:
  struct GiveBack {
    BlockPool* pool = nullptr;
    void operator()(float* block) const noexcept { pool->give_back(block); }
  };
  using Block = std::unique_ptr<float, GiveBack>;

  /// @param block_floats  floats of a block; a multiple of a cache line's.
  explicit BlockPool(std::size_t block_floats);

  /// A block on a cache line, all zeros.
  Block take() DREAMGYM_EXCLUDES(mutex_);

 private:
  void give_back(float* block) noexcept DREAMGYM_EXCLUDES(mutex_);
  void add_slab() DREAMGYM_REQUIRES(mutex_);

  const std::size_t block_floats_;
  Mutex mutex_;
  std::vector<AlignedFloats> slabs_ DREAMGYM_GUARDED_BY(mutex_);
  // Zeroed; with room for every block there is, so that giving back never allocates.
  std::vector<float*> free_ DREAMGYM_GUARDED_BY(mutex_);
};

}  // namespace dreamgym::engine
