#include <algorithm>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"
#include "dreamgym/worlds/alfworld/explainer.h"
#include "dreamgym/worlds/alfworld/internal/trace_writer.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym::alfworld {
namespace {

std::string effect_of(const Reply& reply, const EpisodeMemory& before) {
  switch (reply.kind) {
    case ReplyKind::kRefused:
      return std::string(effects::kInvalid);
    case ReplyKind::kShows:
      return std::string(before.place(reply.place).seen ? effects::kAgain : effects::kNew);
    case ReplyKind::kIsClosed:
      return std::string(effects::kClosed);
    case ReplyKind::kTook:
    case ReplyKind::kPut:
      return std::string(effects::kMoved);
    default:
      return std::string(effects::kDone);
  }
}

/// The kind of a lamp of the goal's kind that is on where the agent stands, as far as shown; else
/// "".
std::string lit_lamp(const EpisodeMemory& memory, const Goal& goal) {
  for (const std::string& object : memory.place(memory.at()).contents) {
    if (type_of(object) == goal.lamp && memory.was_used(object)) {
      return goal.lamp;
    }
  }
  return "";
}

/// @param after  the memory once the reply is known.
Attempt attempt_of(const Reply& reply, const Goal& goal, const EpisodeMemory& after) {
  Attempt attempt;
  if (reply.kind == ReplyKind::kRefused) {
    return attempt;
  }
  const bool used = reply.kind == ReplyKind::kUsed;
  if (used || goal.type == TaskType::kLight) {
    attempt.place = used ? std::string(type_of(reply.object)) : lit_lamp(after, goal);
    attempt.is_attempt = !attempt.place.empty();
    attempt.under_lamp = true;
    attempt.object = type_of(after.held());
  }
  if (reply.kind == ReplyKind::kPut) {
    attempt.is_attempt = true;
    attempt.under_lamp = false;
    attempt.object = type_of(reply.object);
    attempt.place = type_of(reply.place);
    attempt.has_condition =
        !state_word(goal.type).empty() && after.has_condition(reply.object, state_word(goal.type));
    attempt.count = static_cast<std::size_t>(std::ranges::count_if(
        after.place(reply.place).contents,
        [&](const std::string& object) { return type_of(object) == attempt.object; }));
  }
  return attempt;
}

class TextExplainer final : public Explainer {
 public:
  void explain(Trajectory& trajectory) const override {
    check_world(trajectory, "alfworld");
    const auto goal = parse_task_sentence(trajectory.task.instruction);
    if (!goal) {
      throw Error(ErrorKind::kInvalidArgument,
                  "episode \"" + trajectory.episode_id + "\": the instruction \"" +
                      trajectory.task.instruction + "\" is none of ALFWorld's sentences",
                  "see docs/worlds/alfworld.md for the six tasks");
    }
    EpisodeMemory memory;
    for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
      Transition& step = trajectory.steps[i];
      if (i == 0) {
        memory.reset(step.observation.text);
      }
      const Reply reply = read_reply(step.next_observation.text);
      const std::string effect = effect_of(reply, memory);
      memory.observe(step.action, step.next_observation.text);
      step.reasoning_trace = to_text(
          write_trace({effect,
                       memory.at(),
                       memory.held(),
                       memory.conditions(memory.held()),
                       memory.changed_here(reply),
                       reply.contents},
                      *goal,
                      attempt_of(reply, *goal, memory),
                      step.terminated && step.reward > 0));
    }
  }
};

}  // namespace

std::unique_ptr<Explainer> make_text_explainer() {
  return std::make_unique<TextExplainer>();
}

}  // namespace dreamgym::alfworld
