// The kernels for AVX2 with fused multiply-add: vectors of eight floats.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "dreamgym/nn/kernels/kernels.h"

#if defined(__x86_64__)

// After every include: what the compiler makes of their contents must run on any machine.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#define DREAMGYM_KERNEL_NAME "avx2"
#define DREAMGYM_KERNEL_TABLE kAvx2Kernels
#define DREAMGYM_KERNEL_NAMESPACE avx2_kernels
#define DREAMGYM_KERNEL_LANES 8
#include "dreamgym/nn/kernels/kernel_source.inc"  // NOLINT(bugprone-suspicious-include): one source, several instruction sets

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__
