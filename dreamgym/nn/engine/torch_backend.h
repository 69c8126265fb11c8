// The backend of libtorch's operations, on the CPU or on a GPU. libtorch stays behind this header.
#pragma once

#include <memory>

#include "dreamgym/nn/engine/backend.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym::engine {

/// @param config  device not "".
/// @throws Error  kInvalidArgument for a device of another name than EngineConfig says, or as
///                Backend::set_weights(); kUnsupported for a device that is not there or short of memory, and
///                for numbers that only our own kernels have (int8, int16).
std::unique_ptr<Backend> make_torch_backend(const TransformerWeights& weights,
                                            const EngineConfig& config);

}  // namespace dreamgym::engine
