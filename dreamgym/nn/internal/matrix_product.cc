#include "dreamgym/nn/internal/matrix_product.h"

#include "dreamgym/nn/internal/blocked_product.h"

// Exported by libtorch_cpu. The second is missing where libtorch was built on another BLAS.
extern "C" {
void sgemm_(const char* transpose_a,
            const char* transpose_b,
            const int* m,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc);
__attribute__((weak)) int MKL_Set_Num_Threads_Local(
    int num_threads);  // NOLINT(readability-identifier-naming): MKL's name
}

namespace dreamgym::internal {
namespace {

// BLAS is column-major: the transposed product C^T = B^T A^T is the row-major one.
void call(ProductSize size, Factor a, Factor b, Target c, float beta) {
  if (size.rows == 0 || size.columns == 0) {
    return;
  }
  const float one = 1.0F;
  const char transpose_a = a.transposed ? 'T' : 'N';
  const char transpose_b = b.transposed ? 'T' : 'N';
  const int m = static_cast<int>(size.columns);
  const int n = static_cast<int>(size.rows);
  const int k = static_cast<int>(size.inner);
  const int lda = static_cast<int>(b.stride);
  const int ldb = static_cast<int>(a.stride);
  const int ldc = static_cast<int>(c.stride);
  sgemm_(&transpose_b,
         &transpose_a,
         &m,
         &n,
         &k,
         &one,
         b.data,
         &lda,
         a.data,
         &ldb,
         &beta,
         c.data,
         &ldc);
}

}  // namespace

void multiply(ProductSize size, Factor a, Factor b, Target c, ComputeType type) {
  if (type == ComputeType::kBFloat16 || prefers_blocked_products()) {
    multiply_blocks(type, size, a, b, c);
  } else {
    call(size, a, b, c, 0.0F);
  }
}

void multiply_add(ProductSize size, Factor a, Factor b, Target c, ComputeType type) {
  if (type == ComputeType::kBFloat16 || prefers_blocked_products()) {
    multiply_add_blocks(type, size, a, b, c);
  } else {
    call(size, a, b, c, 1.0F);
  }
}

SingleThread::SingleThread() {
  if (MKL_Set_Num_Threads_Local != nullptr) {
    before_ = MKL_Set_Num_Threads_Local(1);
  }
}

SingleThread::~SingleThread() {
  if (MKL_Set_Num_Threads_Local != nullptr) {
    MKL_Set_Num_Threads_Local(before_);
  }
}

}  // namespace dreamgym::internal
