// JSON as Python's json.dumps(value, ensure_ascii=False) writes it, which chat templates show to
// models. Pure. Thread safety: reentrant.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace dreamgym {

/// @param indent  blanks a level, each member on its own line; 0 = all on one line with ", " and
///                ": ".
std::string python_json(const nlohmann::ordered_json& value, int indent = 0);

}  // namespace dreamgym
