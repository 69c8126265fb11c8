// Zeroed floats on a cache-line boundary.
//
// Thread safety: as a value.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dreamgym {

/// Hands out memory that starts on a cache line, so that a vector load never crosses one.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};  // bytes

  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const {
    return true;
  }
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

/// The smallest multiple of `unit` that is at least `count`.
constexpr std::size_t round_up(std::size_t count, std::size_t unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace dreamgym
