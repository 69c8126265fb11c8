// What the kernels of this room compute, as long as they know no other architectures.
#pragma once

#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym::internal {

/// @throws Error kUnsupported for biases, normalised heads and stretched rotary positions.
inline void require_plain_architecture(const TransformerConfig& config, const std::string& who) {
  if (config.qkv_bias || config.qk_norm || config.rope_scaling.kind != RopeScaling::Kind::kNone) {
    throw Error(ErrorKind::kUnsupported,
                who + " can't run " + config.family +
                    " models with biases, normalised heads or stretched rotary positions");
  }
}

}  // namespace dreamgym::internal
