#include "dreamgym/experience/internal/prompted_reply.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/experience/internal/all_effects.h"

namespace dreamgym::experience_internal {
namespace {

using Json = nlohmann::json;

struct TraceKey {
  const char* key;
  const char* meaning;
};

// In the order of a trace; "effect" is always there, the others where they say something.
constexpr std::array<TraceKey, 7> kTraceKeys = {
    {{"why", "one or two sentences: what the action does here, given all that happened before"},
     {"effect",
      "new (shows something not seen before in this episode), again (shows what was seen before, as it must be now), "
      "closed, moved (something changed its place or value), done (something else was done), or invalid (the tool does "
      "not understand the action or it is not possible now: say what the tool says then; nothing changes)"},
     {"at", "where the agent is or what is open now; \"\" if that means nothing"},
     {"hold", "what the agent holds or has selected; \"nothing\" if nothing"},
     {"here", "after a change: everything that is there now; else \"\""},
     {"wanted", "the end state that the task asks for, in few words"},
     {"reached", "exactly the words of \"wanted\" if that state is reached now; else what is missing"}}};

// The trace grammar's own names.
const char* field_name(std::string_view key) {
  return key == "wanted" ? "want" : key == "reached" ? "got" : nullptr;
}

Unexpected<std::string> wrong(std::string reason) { return Unexpected<std::string>(std::move(reason)); }

Expected<ReasoningTrace, std::string> read_trace(const Json& json) {
  ReasoningTrace trace;
  std::string why;
  for (const auto& [key, meaning] : kTraceKeys) {
    const auto found = json.find(key);
    if (found != json.end() && !found->is_string()) {
      return wrong(fmt::format("\"{}\" is no text", key));
    }
    const std::string value(found == json.end() ? "" : trim(found->get<std::string>()));
    if (std::string_view(key) == "effect") {
      if (std::ranges::find(kAllEffects, value) == kAllEffects.end()) {
        return wrong("\"effect\" is \"" + shorten(value, 40) + "\", expected new, again, closed, moved, done or invalid");
      }
    }
    if (std::string_view(key) == "why") {
      why = value;  // last: the grammar begins with the effect
    } else if (!value.empty()) {
      const char* const name = field_name(key);
      trace.add(name == nullptr ? key : name, value);
    }
  }
  if (!why.empty()) {
    trace.add("why", why);
  }
  return trace;
}

}  // namespace

std::string prompted_rules(const std::string& domain, bool reasoning) {
  std::string rules =
      "You simulate a tool that an agent uses in text. Given the task, everything that happened so far and the agent's "
      "next action, say what the tool shows next. You are the tool, not the agent's helper: an action that is not "
      "possible fails, a task is done only when its end state really is reached, and what was shown before stays as it "
      "was unless an action changed it. Write in the tool's own words, as in the examples and the history; where "
      "something is seen for the first time, invent what is plausible for this tool.\n";
  if (!domain.empty()) {
    rules += "The tool: " + domain + "\n";
  }
  rules += "Answer with one JSON object and nothing else:\n{";
  if (reasoning) {
    for (const auto& [key, meaning] : kTraceKeys) {
      rules += fmt::format("\"{}\": {},\n ", key, meaning);
    }
  }
  return rules +
         "\"next_state\": what the tool shows now, word for word,\n "
         "\"done\": true if the episode is over now, \"success\": true if it is over because the task is done}";
}

std::string prompted_schema(bool reasoning, const ReplyBounds& bounds) {
  const auto text = [](std::size_t least, std::size_t most) {
    Json type = {{"type", "string"}};
    if (most > 0) {
      type["minLength"] = least;
      type["maxLength"] = most;
    }
    return type;
  };
  Json properties = Json::object();
  Json required = Json::array();
  const auto add = [&](const char* key, Json type) {
    properties[key] = std::move(type);
    required.push_back(key);
  };
  if (reasoning) {
    for (const auto& [key, meaning] : kTraceKeys) {
      add(key, text(0, bounds.field_characters));
    }
    properties["effect"] = {{"type", "string"}, {"enum", {"new", "again", "closed", "moved", "done", "invalid"}}};
  }
  add("next_state", text(1, bounds.state_characters));
  add("done", {{"type", "boolean"}});
  add("success", {{"type", "boolean"}});
  const auto object = [&] {
    return Json{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  };
  if (bounds.state_characters == 0) {
    return object().dump();
  }
  Json over = object();
  over["properties"]["done"] = {{"const", true}};
  Json goes_on = object();
  goes_on["properties"]["done"] = {{"const", false}};
  goes_on["properties"]["success"] = {{"const", false}};
  return Json{{"anyOf", {goes_on, over}}}.dump();
}

Expected<PromptedReply, std::string> read_prompted_reply(const Json& json, bool reasoning) {
  PromptedReply reply;
  if (reasoning) {
    auto trace = read_trace(json);
    if (!trace) {
      return wrong(trace.error());
    }
    reply.trace = std::move(*trace);
  }
  const auto state = json.find("next_state");
  if (state == json.end() || !state->is_string() || trim(state->get<std::string>()).empty()) {
    return wrong("\"next_state\" is missing or empty");
  }
  reply.next_state = trim(state->get<std::string>());
  for (const auto& [key, flag] : {std::pair("done", &reply.done), std::pair("success", &reply.success)}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_boolean()) {
      return wrong(fmt::format("\"{}\" is not true or false", key));
    }
    *flag = found->get<bool>();
  }
  if (reply.success && !reply.done) {
    return wrong("\"success\" is true and \"done\" is false");
  }
  return reply;
}

}  // namespace dreamgym::experience_internal
