// The JSON a prompted experience model answers with: its schema, its rules, its reading. Pure functions.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "dreamgym/base/expected.h"
#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym::experience_internal {

struct PromptedReply {
  std::optional<ReasoningTrace> trace;  ///< nothing if none was asked for
  std::string next_state;
  bool done = false;
  bool success = false;
};

/// What the model is told, the tool's description included.
std::string prompted_rules(const std::string& domain, bool reasoning);
/// JSON Schema of the answer.
std::string prompted_schema(bool reasoning);
/// The reason if the answer can't be used.
Expected<PromptedReply, std::string> read_prompted_reply(const nlohmann::json& json, bool reasoning);

}  // namespace dreamgym::experience_internal
