// From a dialogue to a trajectory: what all dialogue formats share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/data/import.h"
#include "dreamgym/data/internal/json_object.h"

namespace dreamgym::internal {

enum class Speaker {
  kSystem,
  kEnvironment,
  kAgent,
  kDummy,  ///< the agent's side, but no action: "OK. I'll follow your instructions."
};

/// One command of an agent's turn.
struct Command {
  std::string call_id;  ///< links a tool call with its result; "" for plain text
  std::string thought;
  Action action;
};

struct Turn {
  Speaker speaker = Speaker::kEnvironment;
  std::string text{};               ///< of everyone but the agent
  std::vector<Command> commands{};  ///< of the agent; parallel tool calls are several
  std::string call_id{};            ///< of a tool's result
};

/// A trajectory and whether its record said how the episode ended.
struct ImportedEpisode {
  Trajectory trajectory;
  bool outcome_known = true;
};

/// @param record  for the keys beside the turns: id, task, world, split, reward, success, ...
/// @throws Error kParse if no turn is an action.
ImportedEpisode to_episode(const std::vector<Turn>& turns,
                           const JsonObject& record,
                           const ImportOptions& options);

/// "Your task is to: <instruction>.": how exporters say it where the first observation does not.
std::string task_sentence(std::string_view instruction);

/// The task's sentence in a text: what follows "Your task is to:", or a line that begins with
/// "Task:", "Instruction:", "Goal:" or "Objective:", to the end of its line (or its "[SEP]"),
/// without a final full stop. "" if there is none.
std::string find_instruction(std::string_view text);

/// A tool call as an action, e.g. `search {"query":"red lamp"}`.
/// @param arguments  an object, or its JSON text.
Action tool_action(const std::string& name, const Json* arguments);

}  // namespace dreamgym::internal
