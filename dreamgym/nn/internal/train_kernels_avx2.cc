// The training kernels for AVX2 and FMA.
#include <cstddef>
#include <cstdint>

#include "dreamgym/nn/internal/train_kernels.h"
#include "dreamgym/nn/internal/train_kernels_sets.h"

#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace dreamgym::internal {
namespace {

constexpr std::size_t kLanes = 8;
#include "dreamgym/nn/internal/train_kernels_body.h"

}  // namespace

const TrainKernels kAvx2TrainKernels{"avx2",
                                     norm_convolve,
                                     norm_convolve_backward,
                                     rotate,
                                     swiglu,
                                     swiglu_backward,
                                     attention_softmax,
                                     attention_softmax_backward,
                                     head_softmax,
                                     head_softmax_backward,
                                     dot,
                                     add_scaled,
                                     adamw};

}  // namespace dreamgym::internal

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif  // __x86_64__
