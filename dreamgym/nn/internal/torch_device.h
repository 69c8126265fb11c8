// Devices of libtorch: from a name to a device that is there, and how work is done on one.
//
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {

/// @param name  "torch:cpu", "cuda" (the first one) or "cuda:1".
/// @throws Error kInvalidArgument for another name; kUnsupported where libtorch's CUDA library can't be
///         loaded or there is no such device.
at::Device torch_device(const std::string& name);

/// Looks at the host's integers, which have to outlive it.
at::Tensor host_integers(std::vector<std::int64_t>& values);

/// f() without gradients. @throws Error kUnsupported for what libtorch throws, e.g. for lack of memory.
template <class F>
auto on_torch(const at::Device& device, const F& f) {
  const c10::InferenceMode guard;
  try {
    return f();
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::kUnsupported,
                "libtorch on " + device.str() + ": " + error.what_without_backtrace(),
                "if memory ran out: fewer sessions, shorter contexts, or weights and cache in bf16");
  }
}

}  // namespace dreamgym::internal
