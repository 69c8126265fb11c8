#include "dreamgym/worlds/alfworld/expert.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/alfworld/household_catalog.h"

namespace dreamgym::alfworld {
namespace {

struct Appliance {
  TaskType task;
  std::string_view place_type;
};
constexpr Appliance kAppliances[] = {
    {TaskType::kClean, "sinkbasin"}, {TaskType::kHeat, "microwave"}, {TaskType::kCool, "fridge"}};

bool is_lamp(std::string_view object) {
  return type_of(object).ends_with("lamp");
}

/// Unknown kinds may be put anywhere until a refusal shows better.
bool plausible(std::string_view place, std::string_view object) {
  return may_hold(type_of(place), type_of(object)).value_or(true);
}

}  // namespace

AlfworldExpert::AlfworldExpert(const ExpertOptions& options) : options_(options), rng_(0) {
  for (const double probability : {options.random_action, options.near_miss}) {
    if (!(probability >= 0 && probability <= 1)) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("ALFWorld expert: probability of a mistake {}, expected in [0, 1]",
                              probability));
    }
  }
}

void AlfworldExpert::reset(const Task& task, const Observation& observation, std::uint64_t seed) {
  const auto goal = parse_task_sentence(task.instruction);
  if (!goal) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("ALFWorld expert: \"{}\" is none of the tasks' sentences", task.instruction),
        "see docs/worlds/alfworld.md for the six tasks");
  }
  rng_ = Rng(seed).fork("alfworld-expert");
  goal_ = *goal;
  miss_ = Miss::kFaithful;
  dead_ends_.clear();
  memory_.reset(observation.text);
  mapper_.reset(task.instruction, observation.text);
  admissible_ = observation.admissible;
  if (rng_.uniform() < options_.near_miss) {
    plan_near_miss();
  }
}

void AlfworldExpert::plan_near_miss() {
  near_miss_ = goal_;
  const bool treated = !state_word(goal_.type).empty();
  const std::uint64_t kind = rng_.below(treated ? 4 : 3);
  if (goal_.type == TaskType::kLight || kind <= 1) {
    miss_ = Miss::kOtherObject;
    near_miss_.object.clear();  // chosen among what it finds
  } else if (kind == 2) {
    miss_ = Miss::kOtherPlace;
    choose_other_place();
  } else {
    miss_ = Miss::kNoTreatment;
  }
  if (goal_.type != TaskType::kLight) {
    near_miss_.type = TaskType::kPlace;
  }
}

void AlfworldExpert::choose_other_place() {
  std::vector<std::string> types;
  for (const std::string& place : memory_.places()) {
    const std::string type(type_of(place));
    if (type != goal_.receptacle && plausible(place, goal_.object)) {
      types.push_back(type);
    }
  }
  if (types.empty()) {
    miss_ = Miss::kFaithful;
  } else {
    near_miss_.receptacle = rng_.choose(types);
  }
}

void AlfworldExpert::choose_other_object() {
  std::vector<std::string> types;
  for (const std::string& place : memory_.places()) {
    for (const std::string& object : memory_.place(place).contents) {
      const std::string type(type_of(object));
      const bool fits =
          goal_.type == TaskType::kLight || may_hold(goal_.receptacle, type).value_or(true);
      if (type != goal_.object && !is_lamp(object) && fits && type_of(place) != goal_.receptacle) {
        types.push_back(type);
      }
    }
  }
  if (!types.empty()) {
    near_miss_.object = rng_.choose(types);
  }
}

void AlfworldExpert::observe(const Action& action, const Observation& observation) {
  memory_.observe(action, observation.text);
  mapper_.observe(action, observation.text);
  admissible_ = observation.admissible;
  const Reply reply = read_reply(observation.text);
  if (reply.kind == ReplyKind::kRefused) {
    dead_ends_.insert(action);
  }
  if (reply.kind == ReplyKind::kPut || reply.kind == ReplyKind::kUsed) {
    miss_ = Miss::kFaithful;
  }
}

Action AlfworldExpert::act() {
  if (rng_.uniform() < options_.random_action) {
    return random_action();
  }
  if (miss_ == Miss::kOtherObject && near_miss_.object.empty()) {
    choose_other_object();
    if (near_miss_.object.empty()) {
      const std::string action = explore("");
      if (action != "look") {
        return action;
      }
      miss_ = Miss::kFaithful;  // the house holds nothing else
    }
  }
  const std::string action = pursue(miss_ == Miss::kFaithful ? goal_ : near_miss_);
  if (action == "look" && miss_ != Miss::kFaithful) {
    miss_ = Miss::kFaithful;
    return pursue(goal_);
  }
  return action;
}

std::string AlfworldExpert::random_action() {
  return rng_.choose(admissible_.empty() ? mapper_.candidates() : admissible_);
}

std::string AlfworldExpert::pursue(const Goal& goal) {
  const std::string& held = memory_.held();
  if (!held.empty() && type_of(held) != goal.object) {
    return drop(goal);
  }
  if (held.empty()) {
    return fetch(goal);
  }
  return goal.type == TaskType::kLight ? under_lamp(goal) : bring_to_place(goal);
}

std::string AlfworldExpert::under_lamp(const Goal& goal) {
  for (const std::string& place : memory_.places()) {
    for (const std::string& object : memory_.place(place).contents) {
      if (type_of(object) != goal.lamp) {
        continue;
      }
      std::string action = memory_.is_at_hand(place) ? "use " + object : go(place);
      if (!refused(action)) {
        return action;
      }
    }
  }
  return explore(goal.lamp);
}

std::string AlfworldExpert::bring_to_place(const Goal& goal) {
  const std::string_view word = state_word(goal.type);
  if (!word.empty() && !memory_.has_condition(memory_.held(), word)) {
    return treat_held(goal);
  }
  const std::string place = destination(goal);
  if (place.empty()) {
    return explore("");
  }
  std::string action = visit(place);
  return action.empty() ? put(memory_.held(), place) : action;
}

std::string AlfworldExpert::treat_held(const Goal& goal) {
  for (const Appliance& appliance : kAppliances) {
    if (appliance.task != goal.type) {
      continue;
    }
    for (const std::string& place : places_of_type(appliance.place_type)) {
      std::string action =
          memory_.at() == place
              ? fmt::format("{} {} with {}", treatment_verb(goal.type), memory_.held(), place)
              : go(place);
      if (!refused(action)) {
        return action;
      }
    }
  }
  return "look";
}

bool AlfworldExpert::is_done(const Goal& goal, const std::string& object) const {
  const std::string place = memory_.place_of(object);
  if (goal.type == TaskType::kLight || type_of(place) != goal.receptacle) {
    return false;
  }
  const std::string_view word = state_word(goal.type);
  return goal.type == TaskType::kTwo ? place == destination(goal)
                                     : word.empty() || memory_.has_condition(object, word);
}

/// For two objects: the place that has most of them already, so that both end in one place.
std::string AlfworldExpert::destination(const Goal& goal) const {
  std::string best;
  std::ptrdiff_t most = -1;
  for (const std::string& place : places_of_type(goal.receptacle)) {
    if (!memory_.held().empty() && refused(put(memory_.held(), place))) {
      continue;
    }
    const std::ptrdiff_t count = std::ranges::count_if(
        memory_.place(place).contents,
        [&](const std::string& object) { return type_of(object) == goal.object; });
    if (count > most) {
      best = place;
      most = count;
    }
    if (goal.type != TaskType::kTwo) {
      break;
    }
  }
  return best;
}

std::string AlfworldExpert::fetch(const Goal& goal) {
  for (const std::string& place : memory_.places()) {
    for (const std::string& object : memory_.place(place).contents) {
      if (type_of(object) != goal.object || is_done(goal, object)) {
        continue;
      }
      std::string action = visit(place);
      if (action.empty()) {
        action = fmt::format("take {} from {}", object, place);
      }
      if (!refused(action)) {
        return action;
      }
    }
  }
  return explore(goal.object);
}

/// Puts down what is in the way, but not where the task wants things.
std::string AlfworldExpert::drop(const Goal& goal) {
  std::vector<std::string> choices;
  for (const std::string& place : memory_.places()) {
    if (type_of(place) == goal.receptacle || !plausible(place, memory_.held()) ||
        refused(put(memory_.held(), place)) || refused("go to " + place)) {
      continue;
    }
    if (memory_.is_at_hand(place)) {
      choices = {place};
      break;
    }
    choices.push_back(place);
  }
  if (choices.empty()) {
    choices = places_of_type(goal.receptacle);
  }
  if (choices.empty()) {
    return "look";
  }
  const std::string place = rng_.choose(choices);
  std::string action = visit(place);
  return action.empty() ? put(memory_.held(), place) : action;
}

/// The unseen place where the thing most probably is; "look" when everything has been seen.
/// @param wanted_type  "" = anything.
std::string AlfworldExpert::explore(std::string_view wanted_type) {
  if (!memory_.at().empty() && !memory_.place(memory_.at()).seen) {
    std::string action = visit(memory_.at());
    if (action.empty()) {
      action = "examine " + memory_.at();
    }
    if (!refused(action)) {
      return action;
    }
  }
  std::string best = "look";
  double best_weight = -1;
  for (const std::string& place : memory_.places()) {
    const std::string action = go(place);
    if (memory_.place(place).seen || refused(action)) {
      continue;
    }
    // A kind's share of finds is split among the places of that kind; a door costs a step.
    const auto of_kind = static_cast<double>(places_of_type(type_of(place)).size());
    const double share = usual_share(wanted_type, type_of(place)) / of_kind + 0.01;
    const double weight =
        share * (has_door(type_of(place)) ? 0.7 : 1.0) * (0.7 + 0.6 * rng_.uniform());
    if (weight > best_weight) {
      best = action;
      best_weight = weight;
    }
  }
  return best;
}

/// What to do to reach into the place; "" if that is possible now.
std::string AlfworldExpert::visit(const std::string& place) {
  const PlaceMemory& known = memory_.place(place);
  if (!memory_.is_at_hand(place) || !(known.seen || known.door)) {
    return go(place);
  }
  return known.closed ? "open " + place : "";
}

/// Places that share a location can't be gone to from one another, but are at hand.
std::string AlfworldExpert::go(const std::string& place) {
  if (!memory_.is_at_hand(place)) {
    return "go to " + place;
  }
  return "examine " + place;
}

std::string AlfworldExpert::put(const std::string& object, const std::string& place) const {
  return memory_.says_put() ? fmt::format("put {} in/on {}", object, place)
                            : fmt::format("move {} to {}", object, place);
}

bool AlfworldExpert::refused(const std::string& action) const {
  // Going somewhere is refused only from where one is.
  return action.starts_with("go to ") || action.starts_with("open ") ||
                 action.starts_with("examine ")
             ? memory_.was_refused(action)
             : dead_ends_.contains(action);
}

std::vector<std::string> AlfworldExpert::places_of_type(std::string_view type) const {
  std::vector<std::string> found;
  std::ranges::copy_if(memory_.places(), std::back_inserter(found), [&](const std::string& place) {
    return type_of(place) == type;
  });
  return found;
}

std::unique_ptr<ScriptedPolicy> make_expert(const ExpertOptions& options) {
  return std::make_unique<AlfworldExpert>(options);
}

}  // namespace dreamgym::alfworld
