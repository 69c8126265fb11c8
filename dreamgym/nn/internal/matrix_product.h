// Matrix products of row-major arrays, by what libtorch brings: the BLAS in it (MKL), or kernels of
// oneDNN (blocked_product.h) in bfloat16 and where they are the faster way in fp32.
//
// Thread safety: reentrant; each call runs on the caller's thread while a SingleThread lives there.
#pragma once

#include <cstddef>

#include "dreamgym/nn/compute_type.h"

namespace dreamgym::internal {

/// C [rows, columns] from A [rows, inner] and B [inner, columns].
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
};

/// A factor; transposed: stored as [columns, rows] of what the product sees.
struct Factor {
  const float* data = nullptr;
  std::size_t stride = 0;  ///< floats between stored rows
  bool transposed = false;
};

struct Target {
  float* data = nullptr;
  std::size_t stride = 0;
};

/// C = A B. bfloat16 only where can_compute() says so.
void multiply(ProductSize size,
              Factor a,
              Factor b,
              Target c,
              ComputeType type = ComputeType::kFloat32);
/// C += A B
void multiply_add(ProductSize size,
                  Factor a,
                  Factor b,
                  Target c,
                  ComputeType type = ComputeType::kFloat32);

/// While it lives, matrix products on this thread use no other threads.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace dreamgym::internal
