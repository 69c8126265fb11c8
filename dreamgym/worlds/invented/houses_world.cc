#include "dreamgym/worlds/invented/houses_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/invented/phrasing.h"

namespace dreamgym::invented {
namespace {

using alfworld::ActionKind;
using alfworld::Command;
using alfworld::Dialect;
using alfworld::kNone;
using alfworld::TaskType;

/// "mug 1" -> "mug".
std::string kind_of(const std::string& name) {
  return name.substr(0, name.rfind(' '));
}

/// Reply without "You arrive at loc 3. ".
std::string without_arrival(const std::string& reply) {
  if (!reply.starts_with("You arrive at ")) {
    return reply;
  }
  const std::size_t end = reply.find(". ");
  return end == std::string::npos ? reply : reply.substr(end + 2);
}

}  // namespace

HousesWorld::HousesWorld(NameDeal& names, Rng rng) {
  const HouseLayout layout = draw_house(names, rng);
  const Dialect dialect = chance(0.65, rng) ? Dialect::kV04 : Dialect::kV03;
  strips_arrival_ = dialect == Dialect::kV03 && chance(0.7, rng);
  hints_in_task_ = chance(0.5, rng);
  game_ = alfworld::build_game(layout.description, "invented", dialect);
  state_ = game_->initial;
  goal_ = layout.shown_goal;
  pursued_ = goal_;
  seen_.resize(game_->receptacles.size());
}

Opening HousesWorld::open() const {
  Opening opening;
  opening.kind = "houses/" + std::string(alfworld::task_type_name(goal_.type));
  opening.instruction = game_->task + (hints_in_task_ ? hint() : "");
  opening.text = game_->opening_room + (hints_in_task_ ? "" : hint());
  return opening;
}

/// " The vilk 1 can clean things."; "" for tasks without a treatment.
std::string HousesWorld::hint() const {
  const std::string_view verb = alfworld::treatment_verb(goal_.type);
  return verb.empty()
             ? ""
             : fmt::format(" The {} can {} things.", game_->receptacles[device()].name, verb);
}

std::vector<Move> HousesWorld::moves() const {
  std::vector<std::string> commands;
  alfworld::list_commands(*game_, state_, commands);
  std::vector<Move> moves;
  moves.reserve(commands.size());
  for (std::string& text : commands) {
    const auto command = alfworld::parse_command(*game_, text);
    check(command.has_value(), "the engine reads its own commands");
    if (command->kind != ActionKind::kHelp) {
      const auto index = [](Index i) { return i == kNone ? -1 : static_cast<int>(i); };
      moves.push_back({static_cast<int>(command->kind),
                       index(command->first),
                       index(command->second),
                       std::move(text)});
    }
  }
  return moves;
}

Reply HousesWorld::apply(const Move* move) {
  Reply reply;
  if (move == nullptr) {
    reply.text = alfworld::kNothingHappens;
    reply.trace = trace(effects::kInvalid, {}, reply);
    return reply;
  }
  const auto command = alfworld::play_command(*game_, state_, move->command, reply.text);
  check(command.has_value(), "a listed command is possible");
  if (strips_arrival_) {
    reply.text = without_arrival(reply.text);
  }
  if (command->kind == ActionKind::kGo) {
    here_ = command->first;
  }
  reply.reached = alfworld::goal_reached(*game_, state_);
  const std::string_view effect = effect_of(*command);
  memory_.observe(move->command, reply.text);
  reply.trace = trace(effect, attempt_of(*command), reply);
  const bool is_light = goal_.type == TaskType::kLight;
  if (command->kind == (is_light ? ActionKind::kUse : ActionKind::kPut)) {
    pursued_ = goal_;  // a misled actor has made its mistake
  }
  return reply;
}

/// Also notes that contents were shown.
std::string_view HousesWorld::effect_of(const Command& command) {
  switch (command.kind) {
    case ActionKind::kGo:
    case ActionKind::kOpen:
    case ActionKind::kExamineReceptacle: {
      if (!alfworld::is_accessible(*game_, state_, command.first)) {
        return effects::kClosed;
      }
      const bool was_seen = seen_[command.first];
      seen_[command.first] = true;
      return was_seen ? effects::kAgain : effects::kNew;
    }
    case ActionKind::kTake:
    case ActionKind::kPut:
      return effects::kMoved;
    default:
      return effects::kDone;
  }
}

/// The same attempts as the household world's own explainer states.
alfworld::Attempt HousesWorld::attempt_of(const Command& command) const {
  alfworld::Attempt attempt;
  if (command.kind == ActionKind::kUse) {
    attempt.is_attempt = true;
    attempt.under_lamp = true;
    attempt.object = held_kind();
    attempt.place = kind_of(game_->objects[command.first].name);
  } else if (command.kind == ActionKind::kPut) {
    const std::uint8_t wanted = game_->goal_test.condition;
    attempt.is_attempt = true;
    attempt.object = kind_of(game_->objects[command.first].name);
    attempt.place = kind_of_place(command.second);
    attempt.has_condition = wanted != 0 && (state_.conditions[command.first] & wanted) == wanted;
    attempt.count = count_in(command.second, attempt.object);
  }
  if (goal_.type == TaskType::kLight && !attempt.is_attempt && is_lit_here()) {
    attempt.is_attempt = true;
    attempt.under_lamp = true;
    attempt.object = held_kind();
    attempt.place = goal_.lamp;
  }
  return attempt;
}

/// A lamp of the goal's kind that was turned on is in reach.
bool HousesWorld::is_lit_here() const {
  return std::ranges::any_of(game_->goal_test.lamps, [&](Index lamp) {
    const bool was_used = (state_.conditions[lamp] & alfworld::kToggled) != 0;
    return was_used && alfworld::is_possible(*game_, state_, {ActionKind::kUse, lamp, kNone});
  });
}

ReasoningTrace HousesWorld::trace(std::string_view effect,
                                  const alfworld::Attempt& attempt,
                                  const Reply& reply) const {
  alfworld::TraceFacts facts;
  facts.effect = effect;
  facts.at = here_ == kNone ? "" : game_->receptacles[here_].name;
  facts.held = state_.held == kNone ? "" : game_->objects[state_.held].name;
  facts.conditions = held_conditions();
  alfworld::Reply read = alfworld::read_reply(reply.text);
  facts.here = memory_.changed_here(read);
  facts.shown = std::move(read.contents);
  return alfworld::write_trace(facts, goal_, attempt, reply.reached);
}

bool HousesWorld::is_inside(Index object, Index place) const {
  return alfworld::test_bit(state_.inside(game_->layout, object), place);
}

std::size_t HousesWorld::count_in(Index place, const std::string& kind) const {
  std::size_t count = 0;
  for (Index object = 0; object < game_->objects.size(); ++object) {
    count += is_inside(object, place) && kind_of(game_->objects[object].name) == kind ? 1 : 0;
  }
  return count;
}

std::string HousesWorld::kind_of_place(Index place) const {
  return kind_of(game_->receptacles[place].name);
}

std::string HousesWorld::held_kind() const {
  return state_.held == kNone ? "" : kind_of(game_->objects[state_.held].name);
}

std::vector<std::string> HousesWorld::held_conditions() const {
  static constexpr std::array<std::pair<std::uint8_t, std::string_view>, 3> kWords = {
      {{alfworld::kClean, "clean"}, {alfworld::kHot, "hot"}, {alfworld::kCool, "cool"}}};
  std::vector<std::string> words;
  for (const auto& [condition, word] : kWords) {
    if (state_.held != kNone && (state_.conditions[state_.held] & condition) != 0) {
      words.emplace_back(word);
    }
  }
  return words;
}

}  // namespace dreamgym::invented
