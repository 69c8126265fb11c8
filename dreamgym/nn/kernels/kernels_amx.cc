// The kernels for AVX-512 with AMX: products with bfloat16 weights on tiles, the rest as AVX-512.
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
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,amx-tile,amx-bf16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,amx-tile,amx-bf16")
#endif

#define DREAMGYM_KERNEL_NAME "amx"
#define DREAMGYM_KERNEL_TABLE kAmxKernels
#define DREAMGYM_KERNEL_NAMESPACE amx_kernels
#define DREAMGYM_KERNEL_LANES 16
#define DREAMGYM_KERNEL_AMX
#define DREAMGYM_KERNEL_VNNI
#include "dreamgym/nn/kernels/kernel_source.inc"  // NOLINT(bugprone-suspicious-include): one source, several instruction sets

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__
