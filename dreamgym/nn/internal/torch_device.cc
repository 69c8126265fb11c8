#include "dreamgym/nn/internal/torch_device.h"

#include <charconv>
#include <limits>
#include <string_view>

#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/from_blob.h>
#include <dlfcn.h>
#include <fmt/format.h>

namespace dreamgym::internal {
namespace {

constexpr const char* kHowToGetCuda =
    "`CUDA=1 make setup` fetches libtorch's CUDA libraries, which the program then finds where it was built; the "
    "NVIDIA driver has to be installed. Without a GPU: no device, for the engine's own kernels, or \"torch:cpu\"";

// Once it is loaded its operations are there, and its devices can be counted. It has to come before any
// question about CUDA: libtorch remembers the answer.
void load_cuda() {
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread in glibc
    throw Error(ErrorKind::kUnsupported,
                fmt::format("libtorch's CUDA library can't be loaded: {}", reason),
                kHowToGetCuda);
  }
}

// The number after "cuda:", 0 for "cuda", or -1 for another name.
int cuda_index(std::string_view name) {
  constexpr std::string_view kPrefix = "cuda:";
  if (name == "cuda") {
    return 0;
  }
  int index = -1;
  if (name.starts_with(kPrefix)) {
    const char* end = name.data() + name.size();
    const auto [stop, fault] = std::from_chars(name.data() + kPrefix.size(), end, index);
    if (fault != std::errc{} || stop != end) {
      return -1;
    }
  }
  return index > std::numeric_limits<c10::DeviceIndex>::max() ? -1 : index;
}

}  // namespace

at::Device torch_device(const std::string& name) {
  if (name == "torch:cpu") {
    return at::kCPU;
  }
  const int index = cuda_index(name);
  if (index < 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("there is no device called \"{}\"", name),
                "devices are \"torch:cpu\", \"cuda\" and \"cuda:1\"; without one the engine's own kernels "
                "compute on the CPU");
  }
  load_cuda();
  const int count = at::detail::getCUDAHooks().getNumGPUs();
  if (index >= count) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("device \"{}\": libtorch finds {} CUDA devices", name, count),
                count == 0 ? kHowToGetCuda : "count devices from 0");
  }
  return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

at::Tensor host_integers(std::vector<std::int64_t>& values) {
  return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kLong);
}

}  // namespace dreamgym::internal
