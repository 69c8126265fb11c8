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
/// Longest texts, in characters; 0 = any, as every server knows it.
struct ReplyBounds {
  std::size_t field_characters = 0;  ///< of each field of the trace
  /// Of the next state; such a schema also asks for at least one character, and for no success before the end.
  std::size_t state_characters = 0;
};
/// JSON Schema of the answer.
std::string prompted_schema(bool reasoning, const ReplyBounds& bounds);
/// The reason if the answer can't be used.
Expected<PromptedReply, std::string> read_prompted_reply(const nlohmann::json& json, bool reasoning);

}  // namespace dreamgym::experience_internal
