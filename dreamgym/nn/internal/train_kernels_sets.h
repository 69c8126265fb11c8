// The kernel sets there are; only train_kernels.cc chooses among them.
#pragma once

#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {

extern const TrainKernels kBaselineTrainKernels;
#ifdef __x86_64__
extern const TrainKernels kAvx2TrainKernels;
extern const TrainKernels kAvx512TrainKernels;
#endif

}  // namespace dreamgym::internal
