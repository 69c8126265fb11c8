// Keys of config.json beyond the shape: which of them change what a model computes.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

/// The keys that TransformerConfig has no field for, as a JSON object.
/// @param config  what has been read from the same file.
/// @throws Error kUnsupported naming a key whose value changes the computation, or whose name says
///         that it might and that we do not know.
std::string keep_other_keys(const nlohmann::json& json,
                            const TransformerConfig& config,
                            const std::string& where);

}  // namespace dreamgym
