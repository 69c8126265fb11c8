// config.json of a model folder, in Hugging Face's names.
//
// Read are the form of the hub ("rope_theta", "rope_scaling", "torch_dtype") and the newer one
// ("rope_parameters", "dtype"); written is the form of the hub, which both generations read.
// Pure. Thread safety: reentrant.
#pragma once

#include <string>

#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

/// Every shape positive and bounded, heads divisible, head_dim even, taps in [0, 16].
/// @throws Error kInvalidArgument naming field, value and range; `where` starts the message.
void validate(const TransformerConfig& config, const std::string& where);

/// @param dtype  "float32", "float16" or "bfloat16".
std::string config_to_json(const TransformerConfig& config, const std::string& dtype);

/// @param where  the file's name, for messages.
/// @throws Error kParse (not JSON, a field missing or of the wrong type), kUnsupported (another
///         architecture, or a key that changes what is computed and that we do not know),
///         kInvalidArgument.
TransformerConfig config_from_json(const std::string& text, const std::string& where);

}  // namespace dreamgym
