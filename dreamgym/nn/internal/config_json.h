// config.json of a model folder, in Hugging Face's names.
//
// Pure. Thread safety: reentrant.
#pragma once

#include <string>

#include "dreamgym/nn/transformer_config.h"

namespace dreamgym::internal {

/// Every shape positive, heads divisible, head_dim even, taps in [0, 16].
/// @throws Error kInvalidArgument naming field, value and range; `where` starts the message.
void validate(const TransformerConfig& config, const std::string& where);

std::string config_to_json(const TransformerConfig& config, const std::string& dtype);

/// @param where  the file's name, for messages.
/// @throws Error kParse (not JSON, a field missing or of the wrong type), kUnsupported (another
///         architecture, a variant of it that this program does not compute), kInvalidArgument.
TransformerConfig config_from_json(const std::string& text, const std::string& where);

}  // namespace dreamgym::internal
