// The kernels for any machine: vectors of four floats, no fused multiply-add.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dreamgym/nn/kernels/kernels.h"

#define DREAMGYM_KERNEL_NAME "plain"
#define DREAMGYM_KERNEL_TABLE kPlainKernels
#define DREAMGYM_KERNEL_NAMESPACE plain_kernels
#define DREAMGYM_KERNEL_LANES 4
#include "dreamgym/nn/kernels/kernel_source.inc"  // NOLINT(bugprone-suspicious-include): one source, several instruction sets
