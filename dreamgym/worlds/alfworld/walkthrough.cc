#include "dreamgym/worlds/alfworld/walkthrough.h"

#include <algorithm>

#include "dreamgym/worlds/alfworld/engine.h"

namespace dreamgym::alfworld {
namespace {

/// Plays commands as it plans them.
class Planner {
 public:
  explicit Planner(const AlfredGame& game) : game_(game), state_(game.initial) {}

  bool treat(Index object) {
    const TaskType type = game_.goal.type;
    if (state_witness(object)) {
      return true;
    }
    const std::uint8_t ability = type == TaskType::kClean  ? kCleanable
                                 : type == TaskType::kHeat ? kHeatable
                                                           : kCoolable;
    const ActionKind kind = type == TaskType::kClean  ? ActionKind::kClean
                            : type == TaskType::kHeat ? ActionKind::kHeat
                                                      : ActionKind::kCool;
    for (Index place = 0; place < game_.receptacles.size(); ++place) {
      if ((game_.receptacles[place].treatments & ability) != 0) {
        return go(place) && play({kind, object, place});
      }
    }
    return false;
  }

  bool fetch(Index object) {
    const std::uint64_t* inside = state_.inside(game_.layout, object);
    for (Index place = 0; place < game_.receptacles.size(); ++place) {
      if (test_bit(inside, place)) {
        return reach(place) && play({ActionKind::kTake, object, place});
      }
    }
    return false;
  }

  bool put(Index object, Index place) {
    return reach(place) && play({ActionKind::kPut, object, place});
  }

  bool use(Index lamp) {
    const std::uint64_t* inside = state_.inside(game_.layout, lamp);
    for (Index place = 0; place < game_.receptacles.size(); ++place) {
      if (test_bit(inside, place)) {
        return go(place) && play({ActionKind::kUse, lamp, kNone});
      }
    }
    return false;
  }

  [[nodiscard]] bool won() const { return goal_reached(game_, state_); }
  [[nodiscard]] bool lies_in(Index object, Index place) const {
    return test_bit(state_.inside(game_.layout, object), place);
  }
  std::vector<std::string> take_commands() { return std::move(commands_); }

 private:
  [[nodiscard]] bool state_witness(Index object) const {
    const std::uint8_t wanted = game_.goal_test.condition;
    return (state_.conditions[object] & wanted) == wanted;
  }
  bool play(const Command& command) {
    if (!is_possible(game_, state_, command)) {
      return false;
    }
    commands_.push_back(command_text(game_, command));
    apply_command(game_, state_, command);
    return true;
  }
  bool go(Index place) {
    return is_here(game_, state_, place) || play({ActionKind::kGo, place, kNone});
  }
  bool reach(Index place) {
    return go(place) &&
           (is_accessible(game_, state_, place) || play({ActionKind::kOpen, place, kNone}));
  }

  const AlfredGame& game_;
  GameState state_;
  std::vector<std::string> commands_;
};

bool in_light(Planner& planner, const AlfredGame& game, Index object) {
  return planner.fetch(object) && std::ranges::any_of(game.goal_test.lamps, [&](Index lamp) {
           return planner.use(lamp) && planner.won();
         });
}

bool placed(Planner& planner, const AlfredGame& game, Index object, Index place) {
  if (!planner.fetch(object) || !planner.treat(object) || !planner.put(object, place)) {
    return false;
  }
  if (game.goal.type != TaskType::kTwo || planner.won()) {
    return planner.won();
  }
  return std::ranges::any_of(game.goal_test.objects, [&](Index other) {
    return other != object && !planner.lies_in(other, place) && planner.fetch(other) &&
           planner.put(other, place) && planner.won();
  });
}

}  // namespace

std::optional<std::vector<std::string>> find_walkthrough(const AlfredGame& game) {
  for (const Index object : game.goal_test.objects) {
    if (game.goal.type == TaskType::kLight) {
      Planner planner(game);
      if (in_light(planner, game, object)) {
        return planner.take_commands();
      }
      continue;
    }
    for (Index place = 0; place < game.receptacles.size(); ++place) {
      if (!test_bit(game.goal_test.receptacles.data(), place)) {
        continue;
      }
      Planner planner(game);
      if (placed(planner, game, object, place)) {
        return planner.take_commands();
      }
    }
  }
  return std::nullopt;
}

}  // namespace dreamgym::alfworld
