#include "dreamgym/nn/kernels/kernels.h"

#include <fmt/format.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <string>

#include "dreamgym/base/error.h"

namespace dreamgym {

namespace {

#if defined(__x86_64__)
// Linux lets a process use the tiles only after it has asked.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;               // XFEATURE_XTILEDATA
  static const bool kGranted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return kGranted;
#else
  return false;
#endif
}
#endif

bool machine_runs(const Kernels& kernels) {
#if defined(__x86_64__)
  if (&kernels == &kAmxKernels) {
    return machine_runs(kAvx512VnniKernels) && __builtin_cpu_supports("amx-tile") &&
           __builtin_cpu_supports("amx-bf16") && may_use_tiles();
  }
  if (&kernels == &kAvx512VnniKernels) {
    return machine_runs(kAvx512Kernels) && __builtin_cpu_supports("avx512vnni");
  }
  if (&kernels == &kAvx512Kernels) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  if (&kernels == &kAvx2Kernels) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }
#endif
  return &kernels == &kPlainKernels;
}

// Fastest first.
std::vector<const Kernels*> compiled_kernels() {
#if defined(__x86_64__)
  return {&kAmxKernels, &kAvx512VnniKernels, &kAvx512Kernels, &kAvx2Kernels, &kPlainKernels};
#else
  return {&kPlainKernels};
#endif
}

}  // namespace

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available;
  for (const Kernels* kernels : compiled_kernels()) {
    if (machine_runs(*kernels)) {
      available.push_back(kernels);
    }
  }
  return available;
}

const Kernels& select_kernels(std::string_view name) {
  std::string wanted(name);
  if (wanted.empty()) {
    const char* variable = std::getenv("DREAMGYM_KERNELS");
    wanted = variable == nullptr ? "" : variable;
  }
  if (wanted.empty()) {
    return *available_kernels().front();
  }
  for (const Kernels* kernels : compiled_kernels()) {
    if (kernels->name == wanted) {
      if (!machine_runs(*kernels)) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("this machine can't run the '{}' kernels", wanted),
                    "leave the choice to the program, or take 'plain'");
      }
      return *kernels;
    }
  }
  if (wanted == kReferenceKernels.name) {
    return kReferenceKernels;
  }
  throw Error(
      ErrorKind::kInvalidArgument,
      fmt::format("there are no '{}' kernels; expected amx, avx512vnni, avx512, avx2, plain or reference", wanted),
      "correct the engine's setting or the variable DREAMGYM_KERNELS");
}

}  // namespace dreamgym
