// A growing array of floats on a cache line, whose memory is kept for the next batch.
//
// Not zeroed. Aligned, since matrix libraries round differently at other alignments and results
// must not depend on where the allocator put something.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace dreamgym::internal {

class FloatBuffer {
 public:
  FloatBuffer() = default;
  explicit FloatBuffer(std::size_t count) { ensure(count); }

  /// At least `count` floats; contents are lost when it has to grow.
  float* ensure(std::size_t count) {
    if (count > capacity_) {
      data_.reset();
      const std::size_t bytes = (count * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
      data_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
      if (data_ == nullptr) {
        capacity_ = 0;
        throw std::bad_alloc();
      }
      capacity_ = count;
    }
    return data_.get();
  }
  [[nodiscard]] float* data() { return data_.get(); }
  [[nodiscard]] const float* data() const { return data_.get(); }
  [[nodiscard]] std::size_t capacity_bytes() const { return capacity_ * sizeof(float); }

 private:
  static constexpr std::size_t kAlignment = 64;  // bytes
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
  std::size_t capacity_ = 0;  // floats
};

}  // namespace dreamgym::internal
