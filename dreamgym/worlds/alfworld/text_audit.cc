#include "dreamgym/worlds/alfworld/text_audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/text.h"
#include "dreamgym/env/first_fault.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"
#include "dreamgym/worlds/alfworld/task_goal.h"

namespace dreamgym::alfworld {
namespace {

constexpr std::string_view appliance_for(std::string_view verb) {
  return verb == "clean" ? "sinkbasin" : verb == "heat" ? "microwave" : "fridge";
}

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

/// What is wrong with one step, given everything shown before it; "" if nothing is.
class StepCheck : private FirstFault {
 public:
  StepCheck(const EpisodeMemory& memory, const ActionText& action, const Reply& reply)
      : memory_(memory), action_(action), reply_(reply) {}

  std::string run() {
    switch (reply_.kind) {
      case ReplyKind::kShows:
      case ReplyKind::kIsClosed:
        check_place();
        break;
      case ReplyKind::kTook:
        check_take();
        break;
      case ReplyKind::kPut:
        check_put();
        break;
      case ReplyKind::kTreated:
        check_treatment();
        break;
      case ReplyKind::kUsed:
        check_use();
        break;
      case ReplyKind::kClosed:
        blame(reply_.place != action_.place,
              "\"{}\" was closed instead of \"{}\"",
              reply_.place,
              action_.place);
        break;
      case ReplyKind::kCarries:
        blame(reply_.object != memory_.held(),
              "carries \"{}\" but holds \"{}\"",
              reply_.object,
              memory_.held());
        break;
      default:
        break;
    }
    return first_fault();
  }

 private:
  void check_place() {
    const PlaceMemory& known = memory_.place(reply_.place);
    blame(action_.verb == ActionVerb::kTake || action_.verb == ActionVerb::kPut ||
              action_.verb == ActionVerb::kTreat || action_.verb == ActionVerb::kUse,
          "\"{}\" is answered by a look at \"{}\"",
          action_.word,
          reply_.place);
    blame(!action_.place.empty() && reply_.place != action_.place,
          "shows \"{}\" instead of \"{}\"",
          reply_.place,
          action_.place);
    blame(!is_listed(memory_.places(), reply_.place), "the room has no \"{}\"", reply_.place);
    if (reply_.kind == ReplyKind::kIsClosed) {
      blame(known.seen && !known.closed, "\"{}\" is closed but was open", reply_.place);
      return;
    }
    blame(action_.verb == ActionVerb::kOpen && known.door && !known.closed,
          "\"{}\" is opened again",
          reply_.place);
    blame(action_.verb == ActionVerb::kGo && known.door && known.closed,
          "\"{}\" is open but was closed",
          reply_.place);
    blame(known.seen && sorted(known.contents) != sorted(reply_.contents),
          "\"{}\" shows \"{}\" but \"{}\" is there",
          reply_.place,
          join(reply_.contents, ", "),
          join(known.contents, ", "));
    check_listed();
  }

  /// Nothing is in two places at once.
  void check_listed() {
    for (const std::string& object : reply_.contents) {
      const std::string elsewhere = memory_.place_of(object);
      blame(object == memory_.held(), "\"{}\" is listed but held", object);
      blame(!elsewhere.empty() && elsewhere != reply_.place,
            "\"{}\" is in \"{}\" but was in \"{}\"",
            object,
            reply_.place,
            elsewhere);
    }
  }

  void check_names() {
    blame(reply_.object != action_.object,
          "the reply is about \"{}\" instead of \"{}\"",
          reply_.object,
          action_.object);
    blame(reply_.place != action_.place,
          "the reply is about \"{}\" instead of \"{}\"",
          reply_.place,
          action_.place);
    blame(!memory_.is_at_hand(reply_.place), "\"{}\" is not at hand", reply_.place);
  }

  void check_take() {
    check_names();
    const PlaceMemory& place = memory_.place(reply_.place);
    blame(!memory_.held().empty(), "takes \"{}\" with full hands", reply_.object);
    blame(place.closed, "takes from \"{}\", which is closed", reply_.place);
    blame(!is_listed(place.contents, reply_.object),
          "\"{}\" was never seen in \"{}\"",
          reply_.object,
          reply_.place);
  }

  void check_put() {
    check_names();
    blame(reply_.object != memory_.held(), "puts \"{}\", which is not held", reply_.object);
    blame(memory_.place(reply_.place).closed, "puts into \"{}\", which is closed", reply_.place);
  }

  void check_treatment() {
    check_names();
    blame(reply_.object != memory_.held(), "treats \"{}\", which is not held", reply_.object);
    blame(type_of(reply_.place) != appliance_for(reply_.word),
          "\"{}\" can't {}",
          reply_.place,
          reply_.word);
    blame(reply_.word != action_.word, "does \"{}\" instead of \"{}\"", reply_.word, action_.word);
  }

  void check_use() {
    blame(reply_.object != action_.object,
          "turns on \"{}\" instead of \"{}\"",
          reply_.object,
          action_.object);
    const std::string place = memory_.place_of(reply_.object);
    blame(place.empty() || !memory_.is_at_hand(place), "\"{}\" is not at hand", reply_.object);
  }

  const EpisodeMemory& memory_;
  const ActionText& action_;
  const Reply& reply_;
};

bool lamp_is_on_here(const EpisodeMemory& memory, const Goal& goal) {
  return std::ranges::any_of(memory.used(), [&](const std::string& lamp) {
    return type_of(lamp) == goal.lamp && is_listed(memory.place(memory.at()).contents, lamp);
  });
}

/// The goal holds by what the text showed.
bool goal_is_shown(const EpisodeMemory& memory, const Goal& goal) {
  if (goal.type == TaskType::kLight) {
    return type_of(memory.held()) == goal.object && lamp_is_on_here(memory, goal);
  }
  const std::string_view word = state_word(goal.type);
  return std::ranges::any_of(memory.places(), [&](const std::string& place) {
    const auto count =
        std::ranges::count_if(memory.place(place).contents, [&](const std::string& object) {
          return type_of(object) == goal.object &&
                 (word.empty() || memory.has_condition(object, word));
        });
    return type_of(place) == goal.receptacle && count >= (goal.type == TaskType::kTwo ? 2 : 1);
  });
}

class TextAuditor final : public EpisodeAuditor {
 public:
  [[nodiscard]] EpisodeAudit audit(const Trajectory& trajectory) const override {
    EpisodeAudit audit;
    EpisodeMemory memory;
    for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
      const Transition& step = trajectory.steps[i];
      if (i == 0) {
        memory.reset(step.observation.text);
      }
      const ActionText action = read_action(step.action);
      const Reply reply = read_reply(step.next_observation.text);
      const PlaceMemory& known = memory.place(reply.place);
      if (reply.kind == ReplyKind::kShows && known.seen) {
        ++audit.num_second_looks;
        audit.num_agreeing += sorted(known.contents) == sorted(reply.contents) ? 1 : 0;
      }
      const std::string wrong = StepCheck(memory, action, reply).run();
      if (!wrong.empty() && audit.num_contradictions++ == 0) {
        audit.first_contradiction = fmt::format("step {}: {}", i + 1, wrong);
      }
      memory.observe(step.action, step.next_observation.text);
    }
    const auto goal = parse_task_sentence(trajectory.task.instruction);
    audit.success_confirmed = goal && trajectory.success() && goal_is_shown(memory, *goal);
    return audit;
  }
};

}  // namespace

std::unique_ptr<EpisodeAuditor> make_text_auditor() {
  return std::make_unique<TextAuditor>();
}

}  // namespace dreamgym::alfworld
