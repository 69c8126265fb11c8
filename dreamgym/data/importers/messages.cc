// OpenAI chat messages:
// {"messages":[{"role","content","tool_calls","tool_call_id"}],"tools":[...]}.

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/agent_text.h"
#include "dreamgym/data/importers/importers.h"

namespace dreamgym::internal {

namespace {

/// null, a text, or a list of parts; parts that are no text are named in brackets.
std::string content_text(const JsonObject& message) {
  const Json* content = message.find("content");
  if (content == nullptr || content->is_string()) {
    return message.text("content");
  }
  if (!content->is_array()) {
    message.refuse("content", "null, a string or a list of parts", content);
  }
  std::vector<std::string> texts;
  for (const Json& part : *content) {
    if (part.is_string()) {
      texts.push_back(part.get<std::string>());
      continue;
    }
    const JsonObject object(part, message.path("content", texts.size()));
    const std::string type = object.text("type", "text");
    texts.push_back(object.find("text") != nullptr ? object.text("text")
                                                   : fmt::format("[{}]", type));
  }
  return join(texts, "\n");
}

Command tool_command(const JsonObject& call, const Json& function, std::string where) {
  const JsonObject object(function, std::move(where));
  return {.call_id = call.text("id"),
          .thought = "",
          .action = tool_action(object.required_text("name"), object.find("arguments"))};
}

std::vector<Command> tool_commands(const JsonObject& message) {
  std::vector<Command> commands;
  if (message.find("tool_calls") != nullptr) {
    for (const Json& item : message.required_list("tool_calls")) {
      const std::string where = message.path("tool_calls", commands.size());
      const JsonObject call(item, where);
      const Json* function = call.find("function");
      commands.push_back(function != nullptr ? tool_command(call, *function, where + ".function")
                                             : tool_command(call, item, where));
    }
  } else if (const Json* function = message.find("function_call")) {
    commands.push_back(tool_command(message, *function, message.path("function_call")));
    commands.back().call_id.clear();
  }
  return commands;
}

Turn agent_turn(const JsonObject& message) {
  Turn turn{.speaker = Speaker::kAgent, .commands = tool_commands(message)};
  std::string thought = message.text("reasoning_content", message.text("reasoning"));
  const std::string content = content_text(message);
  if (turn.commands.empty() && !trim(content).empty()) {
    AgentText said = parse_agent_text(content);
    turn.commands.push_back({"", std::move(said.thought), std::move(said.action)});
  } else if (!turn.commands.empty()) {
    turn.commands.front().thought = trim(content);
  }
  if (!thought.empty() && !turn.commands.empty()) {
    std::string& other = turn.commands.front().thought;
    other = other.empty() ? thought : thought + "\n" + other;
  }
  return turn;
}

}  // namespace

ImportedEpisode import_messages(const JsonObject& record, const ImportOptions& options) {
  std::vector<Turn> turns;
  std::size_t index = 0;
  for (const Json& item : record.required_list("messages")) {
    const JsonObject message(item, record.path("messages", index++));
    const std::string role = message.required_text("role");
    if (role == "assistant") {
      turns.push_back(agent_turn(message));
    } else if (role == "system" || role == "developer") {
      turns.push_back({.speaker = Speaker::kSystem, .text = content_text(message)});
    } else if (role == "user" || role == "tool" || role == "function") {
      turns.push_back({.speaker = Speaker::kEnvironment,
                       .text = content_text(message),
                       .call_id = message.text("tool_call_id")});
    } else {
      message.refuse("role",
                     "one of system, developer, user, assistant, tool, function",
                     message.find("role"));
    }
  }
  return to_episode(turns, record, options);
}

}  // namespace dreamgym::internal
