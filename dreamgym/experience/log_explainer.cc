#include "dreamgym/experience/log_explainer.h"

#include <algorithm>
#include <map>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {
namespace {

constexpr std::size_t kMaxWantedBytes = 96;

// A value of the trace grammar: one line without ';'.
std::string trace_value(std::string_view text) {
  std::string value = replace_all(replace_all(trim(text), ";", ","), "\n", " ");
  return value.size() > kMaxWantedBytes ? shorten(value, kMaxWantedBytes) : value;
}

}  // namespace

void LogExplainer::explain(Trajectory& trajectory) const {
  std::set<std::string> seen_replies;
  std::map<std::string, std::string> last_reply;  // by action
  const std::string wanted = trace_value(trajectory.task.instruction);
  for (Transition& step : trajectory.steps) {
    const std::string& reply = step.next_observation.text;
    const auto before = last_reply.find(step.action);
    std::string_view effect = effects::kNew;
    if (!step.action_valid) {
      effect = effects::kInvalid;
    } else if (before != last_reply.end() && before->second == reply) {
      effect = effects::kAgain;
    } else if (seen_replies.contains(reply)) {
      effect = effects::kDone;
    }
    seen_replies.insert(reply);
    last_reply[step.action] = reply;
    if (!step.reasoning_trace.empty()) {
      continue;
    }
    ReasoningTrace trace;
    trace.add("effect", std::string(effect));
    if (step.terminated) {
      trace.add("want", wanted);
      trace.add("got", step.reward >= 1.0 ? wanted : "not yet");
    }
    step.reasoning_trace = to_text(trace);
  }
}

}  // namespace dreamgym
