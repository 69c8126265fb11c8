#include "dreamgym/worlds/alfworld/engine.h"

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

namespace dreamgym::alfworld {
namespace {

bool fits(const AlfredGame& game, Index object, Index receptacle) {
  return test_bit(game.objects[object].fits_in.data(), receptacle);
}

bool lies_in(const AlfredGame& game, const GameState& state, Index object, Index receptacle) {
  return test_bit(state.inside(game.layout, object), receptacle);
}

/// The object lies in one of the receptacles at the agent's location.
bool lies_here(const AlfredGame& game, const GameState& state, Index object) {
  const std::uint64_t* inside = state.inside(game.layout, object);
  const std::uint64_t* here = game.here(state.location);
  for (std::size_t word = 0; word < game.layout.receptacle_words; ++word) {
    if ((inside[word] & here[word]) != 0) {
      return true;
    }
  }
  return false;
}

std::uint8_t treatment(ActionKind kind) {
  return kind == ActionKind::kClean  ? kCleanable
         : kind == ActionKind::kHeat ? kHeatable
                                     : kCoolable;
}

bool can_slice(const AlfredGame& game, const GameState& state, Index object) {
  return (game.objects[object].abilities & kSliceable) != 0 &&
         test_bit(state.at(game.layout, object), state.location);
}

void treat(std::uint8_t& conditions, ActionKind kind) {
  const int removed = kind == ActionKind::kHeat ? kCool : kind == ActionKind::kCool ? kHot : 0;
  const int added = kind == ActionKind::kHeat ? kHot : kind == ActionKind::kCool ? kCool : kClean;
  conditions = static_cast<std::uint8_t>((conditions & ~removed) | added);
}

void take(const AlfredGame& game, GameState& state, Index object, Index receptacle) {
  clear_bit(state.bits.data() + game.layout.inside(object), receptacle);
  set_bit(state.bits.data() + game.layout.left(object), receptacle);
  clear_bit(state.bits.data() + game.layout.at(object), state.location);
  state.held = object;
}

void put(const AlfredGame& game, GameState& state, Index object, Index receptacle) {
  set_bit(state.bits.data() + game.layout.inside(object), receptacle);
  clear_bit(state.bits.data() + game.layout.left(object), receptacle);
  set_bit(state.bits.data() + game.layout.at(object), state.location);
  state.held = kNone;
}

Bindings parameters(const AlfredGame& game, const GameState& before, const Command& command) {
  const TextGrammar& grammar = *game.grammar;
  Bindings bindings;
  bindings.values[grammar.agent] = 0;
  switch (command.kind) {
    case ActionKind::kGo:
      bindings.values[grammar.start] = before.location;
      bindings.values[grammar.end] = game.receptacles[command.first].location;
      bindings.values[grammar.receptacle] = command.first;
      break;
    case ActionKind::kOpen:
    case ActionKind::kClose:
      bindings.values[grammar.location] = before.location;
      [[fallthrough]];
    case ActionKind::kExamineReceptacle:
      bindings.values[grammar.receptacle] = command.first;
      break;
    case ActionKind::kSlice:
      bindings.values[grammar.location] = before.location;
      bindings.values[grammar.sliced] = command.first;
      bindings.values[grammar.knife] = command.second;
      break;
    case ActionKind::kExamineObject:
      bindings.values[grammar.object] = command.first;
      break;
    case ActionKind::kLook:
      bindings.values[grammar.location] = before.location;
      break;
    case ActionKind::kInventory:
    case ActionKind::kHelp:
      break;
    default:  // take, put, clean, heat, cool; use (whose receptacle no text names)
      bindings.values[grammar.location] = before.location;
      bindings.values[grammar.object] = command.first;
      bindings.values[grammar.receptacle] = command.second;
  }
  return bindings;
}

}  // namespace

bool is_here(const AlfredGame& game, const GameState& state, Index receptacle) {
  return game.receptacles[receptacle].location == state.location;
}

bool is_accessible(const AlfredGame& game, const GameState& state, Index receptacle) {
  return !game.receptacles[receptacle].openable || test_bit(state.opened(), receptacle);
}

bool is_possible(const AlfredGame& game, const GameState& state, const Command& command) {
  const Index first = command.first;
  const Index second = command.second;
  switch (command.kind) {
    case ActionKind::kLook:
    case ActionKind::kInventory:
      return true;
    case ActionKind::kHelp:
      return game.has_help;
    case ActionKind::kGo:
      return game.receptacles[first].location != kNone && !is_here(game, state, first);
    case ActionKind::kOpen:
    case ActionKind::kClose:
      return game.receptacles[first].openable && is_here(game, state, first) &&
             test_bit(state.opened(), first) == (command.kind == ActionKind::kClose);
    case ActionKind::kExamineReceptacle:
      return is_here(game, state, first);
    case ActionKind::kExamineObject:
      return state.held == first;
    case ActionKind::kTake:
      return (game.objects[first].abilities & kPickupable) != 0 && state.held == kNone &&
             is_here(game, state, second) && is_accessible(game, state, second) &&
             lies_in(game, state, first, second);
    case ActionKind::kPut:
      return state.held == first && is_here(game, state, second) &&
             is_accessible(game, state, second) && fits(game, first, second);
    case ActionKind::kClean:
    case ActionKind::kHeat:
    case ActionKind::kCool:
      return state.held == first && is_here(game, state, second) &&
             (game.objects[first].abilities & treatment(command.kind)) != 0 &&
             (game.receptacles[second].treatments & treatment(command.kind)) != 0;
    case ActionKind::kUse:
      return (game.objects[first].abilities & kToggleable) != 0 && lies_here(game, state, first);
    case ActionKind::kSlice:
      return state.held == second && game.objects[second].is_knife && can_slice(game, state, first);
  }
  return false;
}

void apply_command(const AlfredGame& game, GameState& state, const Command& command) {
  switch (command.kind) {
    case ActionKind::kGo:
      state.location = game.receptacles[command.first].location;
      break;
    case ActionKind::kOpen:
      set_bit(state.bits.data(), command.first);
      break;
    case ActionKind::kClose:
      clear_bit(state.bits.data(), command.first);
      break;
    case ActionKind::kTake:
      take(game, state, command.first, command.second);
      break;
    case ActionKind::kPut:
      put(game, state, command.first, command.second);
      break;
    case ActionKind::kClean:
    case ActionKind::kHeat:
    case ActionKind::kCool:
      treat(state.conditions[command.first], command.kind);
      break;
    case ActionKind::kUse:
      state.conditions[command.first] =
          static_cast<std::uint8_t>((state.conditions[command.first] ^ kOn) | kToggled);
      break;
    case ActionKind::kSlice:
      state.conditions[command.first] =
          static_cast<std::uint8_t>(state.conditions[command.first] | kSliced);
      break;
    default:
      break;
  }
}

std::optional<Command> play_command(const AlfredGame& game,
                                    GameState& state,
                                    std::string_view text,
                                    std::string& reply) {
  const std::optional<Command> command = parse_command(game, text);
  if (!command || !is_possible(game, state, *command)) {
    reply += kNothingHappens;
    return std::nullopt;
  }
  const Bindings bindings = parameters(game, state, *command);
  apply_command(game, state, *command);
  render(game,
         state,
         game.grammar->actions[static_cast<std::size_t>(command->kind)].feedback,
         bindings,
         reply);
  return command;
}

bool goal_reached(const AlfredGame& game, const GameState& state) {
  const GoalTest& goal = game.goal_test;
  if (goal.type == TaskType::kLight) {
    return std::ranges::find(goal.objects, state.held) != goal.objects.end() &&
           std::ranges::any_of(goal.lamps, [&](Index lamp) {
             return (state.conditions[lamp] & kToggled) != 0 && lies_here(game, state, lamp);
           });
  }
  // Two different objects must lie in the same receptacle.
  for (std::size_t word = 0; word < game.layout.receptacle_words; ++word) {
    std::uint64_t one = 0;
    std::uint64_t two = 0;
    for (const Index object : goal.objects) {
      if ((state.conditions[object] & goal.condition) == goal.condition) {
        const std::uint64_t inside =
            state.inside(game.layout, object)[word] & goal.receptacles[word];
        two |= one & inside;
        one |= inside;
      }
    }
    if ((goal.type == TaskType::kTwo ? two : one) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace dreamgym::alfworld
