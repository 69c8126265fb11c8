// What an assistant's turn says: the thought and the action in it.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym::internal {

struct AgentText {
  std::string thought;
  std::string action;
};

/// The action is, first that applies: what stands between <action> and </action>; what follows the
/// first line that begins with "Action:" (or "Act:"), up to a line that begins with "Observation:";
/// what follows the last " Action:" inside a line; the whole text. Case is ignored. The thought is
/// the rest in front of it without "Thought:" ("Think:") or <think> tags.
AgentText parse_agent_text(std::string_view text);

/// True if the text marks an action as above.
bool marks_an_action(std::string_view text);

}  // namespace dreamgym::internal
