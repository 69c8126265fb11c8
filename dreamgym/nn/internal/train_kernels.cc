#include "dreamgym/nn/internal/train_kernels.h"

#include "dreamgym/nn/internal/train_kernels_sets.h"

namespace dreamgym::internal {
namespace {

#ifdef __x86_64__
constexpr const TrainKernels* kSets[] = {
    &kBaselineTrainKernels, &kAvx2TrainKernels, &kAvx512TrainKernels};

std::size_t count_supported() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return 1;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? 3 : 2;
}
#else
constexpr const TrainKernels* kSets[] = {&kBaselineTrainKernels};

std::size_t count_supported() {
  return 1;
}
#endif

}  // namespace

const TrainKernels& train_kernels() {
  static const TrainKernels& best = *kSets[count_supported() - 1];
  return best;
}

const TrainKernels* const* all_train_kernels(std::size_t& count) {
  count = count_supported();
  return kSets;
}

}  // namespace dreamgym::internal
