// Tokens of chunks that were merged before.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Bounded and insert-only: an entry stays where it is until the cache dies, so readers take no
/// lock. What finds no free slot is simply not kept. Thread safety: all members.
class ChunkCache {
 public:
  ChunkCache();
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// The chunk's tokens, or null if it is not there. Valid as long as the cache.
  [[nodiscard]] const std::vector<TokenId>* find(std::string_view chunk) const;
  void insert(std::string_view chunk, std::vector<TokenId> tokens);

 private:
  struct Entry {
    std::string chunk;
    std::vector<TokenId> tokens;
  };
  static constexpr std::size_t kNumSlots = 1U << 16U;
  static constexpr std::size_t kNumProbes = 8;
  static constexpr std::size_t kMaxChunkBytes = 512;

  std::unique_ptr<std::array<std::atomic<const Entry*>, kNumSlots>> slots_;
};

}  // namespace dreamgym
