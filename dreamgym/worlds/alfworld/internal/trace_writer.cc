#include "dreamgym/worlds/alfworld/internal/trace_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/reply_text.h"

namespace dreamgym::alfworld {
namespace {

std::string got_text(const Goal& goal, const Attempt& attempt) {
  const std::string object = attempt.object.empty() ? "nothing" : attempt.object;
  if (attempt.under_lamp) {
    return fmt::format("{} under {}", object, attempt.place);
  }
  std::string word;
  if (goal.type == TaskType::kTwo) {
    word = attempt.count >= 2 ? "two " : "one ";
  } else if (attempt.has_condition) {
    word = fmt::format("{} ", state_word(goal.type));
  }
  return fmt::format("{}{} in {}", word, object, attempt.place);
}

// Kinds of the goal's things among those shown.
std::string find_text(const Goal& goal, const std::vector<std::string>& shown) {
  std::vector<std::string> kinds;
  for (const std::string& kind : {goal.object, goal.lamp}) {
    if (!kind.empty() && std::ranges::find(shown, kind, type_of) != shown.end()) {
      kinds.push_back(kind);
    }
  }
  return names_or_nothing(kinds);
}

}  // namespace

ReasoningTrace write_trace(const TraceFacts& facts,
                           const Goal& goal,
                           const Attempt& attempt,
                           bool reached) {
  ReasoningTrace trace;
  trace.add("effect", facts.effect);
  trace.add("at", facts.at.empty() ? "start" : facts.at);
  std::string held = join(facts.conditions, " ");
  held += held.empty() ? "" : " ";
  held += facts.held.empty() ? "nothing" : facts.held;
  trace.add("hold", held);
  if (facts.here) {
    trace.add("here", names_or_nothing(*facts.here));
  }
  if (facts.effect == effects::kNew) {
    trace.add(std::string(kFindField), find_text(goal, facts.shown));
  }
  if (!attempt.is_attempt && !reached) {
    return trace;
  }
  const std::string wanted = wanted_text(goal);
  const std::string got = reached ? wanted : got_text(goal, attempt);
  if (reached || got != wanted) {
    trace.add("want", wanted);
    trace.add("got", got);
  }
  return trace;
}

}  // namespace dreamgym::alfworld
