// ShareGPT and its dialects: {"conversations":[{"from":"human|gpt|...","value"}],"system","tools"}.

#include <algorithm>
#include <cctype>

#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/agent_text.h"
#include "dreamgym/data/importers/importers.h"

namespace dreamgym::internal {

namespace {

/// "OK", "OK. I'll follow your instructions.": said before the first observation, no action.
bool is_dummy_reply(std::string_view text) {
  text = trim(text);
  return text.size() <= 200 && to_lower(text).starts_with("ok") && !contains(text, "\n") &&
         (text.size() == 2 || std::isalpha(static_cast<unsigned char>(text[2])) == 0) &&
         !marks_an_action(text);
}

/// LLaMA-Factory's function_call turn: {"name","arguments"} as JSON text.
Command function_call(const std::string& value) {
  const Json call = Json::parse(value, nullptr, false);
  if (!call.is_object() || !call.contains("name") || !call["name"].is_string()) {
    return {"", "", std::string(trim(value))};
  }
  const JsonObject object(call, "");
  return {"", "", tool_action(object.text("name"), object.find("arguments"))};
}

Turn agent_turn(const std::string& text) {
  if (trim(text).empty()) {
    return {.speaker = Speaker::kAgent};
  }
  AgentText said = parse_agent_text(text);
  return {.speaker = Speaker::kAgent,
          .commands = {{"", std::move(said.thought), std::move(said.action)}}};
}

Turn turn_of(const JsonObject& object) {
  const std::string from = object.required_text("from");
  const std::string value = object.text("value");
  if (from == "human" || from == "user" || from == "observation" || from == "tool") {
    return {.speaker = Speaker::kEnvironment, .text = value};
  }
  if (from == "gpt" || from == "assistant") {
    return agent_turn(value);
  }
  if (from == "function_call") {
    return {.speaker = Speaker::kAgent, .commands = {function_call(value)}};
  }
  if (from != "system") {
    object.refuse("from",
                  "one of human, user, gpt, assistant, system, observation, tool, function_call",
                  object.find("from"));
  }
  return {.speaker = Speaker::kSystem, .text = value};
}

std::vector<Turn> turns_of(const JsonObject& record) {
  std::vector<Turn> turns;
  if (record.find("system") != nullptr) {
    turns.push_back({.speaker = Speaker::kSystem, .text = record.text("system")});
  }
  std::size_t index = 0;
  for (const Json& item : record.required_list("conversations")) {
    const JsonObject object(item, record.path("conversations", index++));
    turns.push_back(turn_of(object));
  }
  return turns;
}

/// The JSON a turn was read from; a system text of the record's own has none.
JsonObject conversation_turn(const JsonObject& record,
                             const std::vector<Turn>& turns,
                             std::vector<Turn>::const_iterator turn) {
  const Json& list = record.required_list("conversations");
  const auto index = static_cast<std::size_t>(turn - turns.begin()) - (turns.size() - list.size());
  return {list[index], record.path("conversations", index)};
}

}  // namespace

ImportedEpisode import_sharegpt(const JsonObject& record, const ImportOptions& options) {
  std::vector<Turn> turns = turns_of(record);
  const auto first = std::ranges::find(turns, Speaker::kAgent, &Turn::speaker);
  if (first != turns.end() && first + 1 != turns.end() &&
      is_dummy_reply(conversation_turn(record, turns, first).text("value"))) {
    *first = {.speaker = Speaker::kDummy};
  }
  return to_episode(turns, record, options);
}

ImportedEpisode import_agentgym(const JsonObject& record, const ImportOptions& options) {
  std::vector<Turn> turns = turns_of(record);
  for (auto turn = turns.begin(); turn != turns.end(); ++turn) {
    if (turn->speaker == Speaker::kAgent &&
        !conversation_turn(record, turns, turn).boolean("loss", true)) {
      *turn = {.speaker = Speaker::kDummy};
    }
  }
  return to_episode(turns, record, options);
}

}  // namespace dreamgym::internal
