// What the numbers of weights and caches are called (EngineConfig).
// Pure. Thread safety: reentrant.
#pragma once

#include <string>

#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

/// "fp32", "bf16" or "int8". @throws Error kInvalidArgument for another name.
NumberFormat weight_format(const std::string& name);
/// "fp32", "bf16" or "int16". @throws Error kInvalidArgument for another name.
NumberFormat cache_format(const std::string& name);

}  // namespace dreamgym::engine
