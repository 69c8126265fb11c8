#include "dreamgym/llm/internal/chunk_cache.h"

#include <functional>

namespace dreamgym {

ChunkCache::ChunkCache()
    : slots_(std::make_unique<std::array<std::atomic<const Entry*>, kNumSlots>>()) {}

ChunkCache::~ChunkCache() {
  for (auto& slot : *slots_) {
    const std::unique_ptr<const Entry> owned(slot.load(std::memory_order_acquire));
  }
}

const std::vector<TokenId>* ChunkCache::find(std::string_view chunk) const {
  const std::size_t hash = std::hash<std::string_view>{}(chunk);
  for (std::size_t probe = 0; probe < kNumProbes; ++probe) {
    const auto& slot = (*slots_)[(hash + probe) % kNumSlots];
    const Entry* entry = slot.load(std::memory_order_acquire);
    if (entry == nullptr) {
      return nullptr;
    }
    if (entry->chunk == chunk) {
      return &entry->tokens;
    }
  }
  return nullptr;
}

void ChunkCache::insert(std::string_view chunk, std::vector<TokenId> tokens) {
  if (chunk.size() > kMaxChunkBytes) {
    return;
  }
  auto entry = std::make_unique<const Entry>(Entry{std::string(chunk), std::move(tokens)});
  const std::size_t hash = std::hash<std::string_view>{}(chunk);
  for (std::size_t probe = 0; probe < kNumProbes; ++probe) {
    const Entry* expected = nullptr;
    if ((*slots_)[(hash + probe) % kNumSlots].compare_exchange_strong(
            expected, entry.get(), std::memory_order_acq_rel)) {
      (void)entry.release();  // the slot owns it now
      return;
    }
    if (expected->chunk == entry->chunk) {
      return;  // another thread was faster
    }
  }
}

}  // namespace dreamgym
