// What a competent actor does in a house, and how it is led astray.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/invented/houses_world.h"
#include "dreamgym/worlds/invented/phrasing.h"

namespace dreamgym::invented {
namespace {

using alfworld::ActionKind;
using alfworld::Index;
using alfworld::kNone;
using alfworld::TaskType;

/// "mug 1" is of the kind "mug".
bool is_kind(const std::string& name, const std::string& kind) {
  return name.size() > kind.size() && name.starts_with(kind) && name[kind.size()] == ' ';
}

const Move* find(const std::vector<Move>& moves, ActionKind kind, int first = -1, int second = -1) {
  return find_move(moves, static_cast<int>(kind), first, second);
}

std::uint8_t condition_of(TaskType type) {
  switch (type) {
    case TaskType::kClean:
      return alfworld::kClean;
    case TaskType::kHeat:
      return alfworld::kHot;
    case TaskType::kCool:
      return alfworld::kCool;
    default:
      return 0;
  }
}

}  // namespace

Move HousesWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  if (state_.held == kNone) {
    return fetch(all, rng);
  }
  if (!is_kind(game_->objects[state_.held].name, pursued_.object)) {
    return put_away(all, rng);
  }
  return pursued_.type == TaskType::kLight ? light(all, rng) : deliver(all);
}

/// Something of that kind in a place whose contents were shown: (object, place). Of a task for two,
/// what is already where it should be does not count.
std::optional<std::pair<Index, Index>> HousesWorld::known(const std::string& kind) const {
  const Index done = pursued_.type == TaskType::kTwo ? target_place() : kNone;
  for (Index place = 0; place < game_->receptacles.size(); ++place) {
    for (Index object = 0; seen_[place] && object < game_->objects.size(); ++object) {
      const bool counts = place != done && is_inside(object, place);
      if (counts && is_kind(game_->objects[object].name, kind)) {
        return std::pair(object, place);
      }
    }
  }
  return std::nullopt;
}

/// The place of the pursued kind that is known to hold most of what is wanted.
Index HousesWorld::target_place() const {
  Index best = kNone;
  std::size_t best_count = 0;
  for (Index place = 0; place < game_->receptacles.size(); ++place) {
    const std::size_t count = seen_[place] ? count_in(place, pursued_.object) : 0;
    const bool is_wanted = is_kind(game_->receptacles[place].name, pursued_.receptacle);
    if (is_wanted && (best == kNone || count > best_count)) {
      best = place;
      best_count = count;
    }
  }
  check(best != kNone, "a place of the pursued kind exists");
  return best;
}

/// The place that gives the task's treatment.
Index HousesWorld::device() const {
  const std::uint8_t ability = goal_.type == TaskType::kClean  ? alfworld::kCleanable
                               : goal_.type == TaskType::kHeat ? alfworld::kHeatable
                                                               : alfworld::kCoolable;
  const auto found = std::ranges::find_if(
      game_->receptacles,
      [&](const alfworld::GameReceptacle& place) { return (place.treatments & ability) != 0; });
  check(found != game_->receptacles.end(), "a house has the device its task needs");
  return static_cast<Index>(found - game_->receptacles.begin());
}

/// Goes there or, once there, opens it.
Move HousesWorld::reach(const std::vector<Move>& moves, Index place) const {
  for (const ActionKind kind :
       {ActionKind::kGo, ActionKind::kOpen, ActionKind::kExamineReceptacle}) {
    if (const Move* move = find(moves, kind, place)) {
      return *move;
    }
  }
  return *find(moves, ActionKind::kLook);
}

Move HousesWorld::explore(const std::vector<Move>& moves, Rng& rng) const {
  if (here_ != kNone && !seen_[here_]) {
    return reach(moves, here_);
  }
  std::vector<Index> unseen;
  for (Index place = 0; place < game_->receptacles.size(); ++place) {
    if (!seen_[place]) {
      unseen.push_back(place);
    }
  }
  return unseen.empty() ? *find(moves, ActionKind::kLook) : reach(moves, rng.choose(unseen));
}

Move HousesWorld::fetch(const std::vector<Move>& moves, Rng& rng) const {
  const auto found = known(pursued_.object);
  if (!found) {
    return explore(moves, rng);
  }
  const Move* take = find(moves, ActionKind::kTake, found->first);
  return take != nullptr ? *take : reach(moves, found->second);
}

/// Gets rid of what is held, but not where it would look like another attempt.
Move HousesWorld::put_away(const std::vector<Move>& moves, Rng& rng) const {
  const auto may_be = [&](Index place) {
    return !is_kind(game_->receptacles[place].name, goal_.receptacle);
  };
  if (here_ != kNone && may_be(here_)) {
    if (const Move* put = find(moves, ActionKind::kPut)) {
      return *put;
    }
    if (const Move* open = find(moves, ActionKind::kOpen, here_)) {
      return *open;
    }
  }
  std::vector<Index> others;
  const auto& fits = game_->objects[state_.held].fits_in;
  for (Index place = 0; place < game_->receptacles.size(); ++place) {
    const bool is_possible = alfworld::test_bit(fits.data(), place) && place != here_;
    if (is_possible && may_be(place)) {
      others.push_back(place);
    }
  }
  return others.empty() ? *find(moves, ActionKind::kLook) : reach(moves, rng.choose(others));
}

Move HousesWorld::deliver(const std::vector<Move>& moves) const {
  const std::uint8_t condition = condition_of(pursued_.type);
  if ((state_.conditions[state_.held] & condition) != condition) {
    for (const ActionKind kind : {ActionKind::kClean, ActionKind::kHeat, ActionKind::kCool}) {
      const Move* treat = find(moves, kind, state_.held, device());
      if (treat != nullptr) {
        return *treat;
      }
    }
    return reach(moves, device());
  }
  const Index target = target_place();
  const Move* put = find(moves, ActionKind::kPut, state_.held, target);
  return put != nullptr ? *put : reach(moves, target);
}

Move HousesWorld::light(const std::vector<Move>& moves, Rng& rng) const {
  const auto lamp = known(pursued_.lamp);
  if (!lamp) {
    return explore(moves, rng);
  }
  const Move* use = find(moves, ActionKind::kUse, lamp->first);
  return use != nullptr ? *use : reach(moves, lamp->second);
}

void HousesWorld::mislead(Rng& rng) {
  const bool skips_treatment = condition_of(goal_.type) != 0 && chance(0.5, rng);
  if (skips_treatment) {
    pursued_.type = TaskType::kPlace;
    return;
  }
  const bool takes_other_object = goal_.type == TaskType::kLight || chance(0.6, rng);
  if (takes_other_object) {
    std::vector<std::string> kinds;
    for (const alfworld::GameObject& object : game_->objects) {
      if ((object.abilities & alfworld::kPickupable) != 0) {
        kinds.push_back(object.name.substr(0, object.name.rfind(' ')));
      }
    }
    pursued_.object = rng.choose(kinds);
    pursued_.type = goal_.type == TaskType::kLight ? TaskType::kLight : TaskType::kPlace;
  } else {
    pursued_.receptacle = kind_of_place(static_cast<Index>(rng.below(game_->receptacles.size())));
  }
}

}  // namespace dreamgym::invented
