#include "dreamgym/nn/internal/freed_memory.h"

#include <cstddef>

// jemalloc's, where it is linked.
extern "C" __attribute__((weak)) int mallctl(const char* name,
                                             void* old_value,
                                             std::size_t* old_size,
                                             void* new_value,
                                             std::size_t new_size);

namespace dreamgym::internal {

void return_freed_memory() {
  if (mallctl != nullptr) {
    (void)mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // 4096: all arenas
  }
}

}  // namespace dreamgym::internal
