// The training kernels for any x86-64 (and, without vectors of their own, other machines).
#include <cstddef>
#include <cstdint>

#include "dreamgym/nn/internal/train_kernels.h"
#include "dreamgym/nn/internal/train_kernels_sets.h"

namespace dreamgym::internal {
namespace {

constexpr std::size_t kLanes = 4;
#include "dreamgym/nn/internal/train_kernels_body.h"

}  // namespace

const TrainKernels kBaselineTrainKernels{"baseline",
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
