#include "dreamgym/replay/internal/score_kernel.h"

#include <cstring>

namespace dreamgym::replay_internal {
namespace {

// One dimension of 16 rows; the compiler maps it to one 512-bit, two 256-bit or four 128-bit
// registers.
using Vector = float __attribute__((vector_size(64)));

#define DREAMGYM_INLINE inline __attribute__((always_inline))

// Q queries against R blocks, all Q * R sums in registers.
template <std::size_t Q, std::size_t R>
DREAMGYM_INLINE void score_registers(const float* queries,
                                     const Lanes* rows,
                                     std::size_t dimension,
                                     float* scores,
                                     std::size_t score_stride) {
  Vector sums[Q][R] = {};
  for (std::size_t d = 0; d < dimension; ++d) {
    Vector row[R];
    for (std::size_t r = 0; r < R; ++r) {
      std::memcpy(&row[r], &rows[r * dimension + d], sizeof(Vector));
    }
    for (std::size_t q = 0; q < Q; ++q) {
      const float x = queries[q * dimension + d];
      for (std::size_t r = 0; r < R; ++r) {
        sums[q][r] += row[r] * x;
      }
    }
  }
  for (std::size_t q = 0; q < Q; ++q) {
    for (std::size_t r = 0; r < R; ++r) {
      std::memcpy(scores + q * score_stride + r * kLanes, &sums[q][r], sizeof(Vector));
    }
  }
}

template <std::size_t Q, std::size_t R>
DREAMGYM_INLINE void score_blocks(const float* queries,
                                  const Lanes* rows,
                                  std::size_t num_blocks,
                                  std::size_t dimension,
                                  float* scores) {
  const std::size_t stride = num_blocks * kLanes;
  std::size_t block = 0;
  for (; block + R <= num_blocks; block += R) {
    for (std::size_t q = 0; q < kQueryBlock; q += Q) {
      score_registers<Q, R>(queries + q * dimension,
                            rows + block * dimension,
                            dimension,
                            scores + q * stride + block * kLanes,
                            stride);
    }
  }
  for (; block < num_blocks; ++block) {
    for (std::size_t q = 0; q < kQueryBlock; q += Q) {
      score_registers<Q, 1>(queries + q * dimension,
                            rows + block * dimension,
                            dimension,
                            scores + q * stride + block * kLanes,
                            stride);
    }
  }
}

#define DREAMGYM_SCORE_PARAMETERS                                                         \
  const float *queries, const Lanes *rows, std::size_t num_blocks, std::size_t dimension, \
      float *scores

#if defined(__x86_64__)
// 16 sums + 2 rows of 32 registers.
__attribute__((target("arch=x86-64-v4"))) void score_avx512(DREAMGYM_SCORE_PARAMETERS) {
  score_blocks<8, 2>(queries, rows, num_blocks, dimension, scores);
}

// 4 x 2 sums + 2 halves of a row of 16 registers.
__attribute__((target("arch=x86-64-v3"))) void score_avx2(DREAMGYM_SCORE_PARAMETERS) {
  score_blocks<4, 1>(queries, rows, num_blocks, dimension, scores);
}
#endif

void score_plain(DREAMGYM_SCORE_PARAMETERS) {
  score_blocks<2, 1>(queries, rows, num_blocks, dimension, scores);
}

}  // namespace

std::vector<ScoreKernel> score_kernels() {
  std::vector<ScoreKernel> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd")) {
    kernels.push_back(score_avx512);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(score_avx2);
  }
#endif
  kernels.push_back(score_plain);
  return kernels;
}

}  // namespace dreamgym::replay_internal
