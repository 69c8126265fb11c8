#include "dreamgym/worlds/alfworld/internal/goal_choice.h"

#include <algorithm>
#include <map>
#include <set>

#include "dreamgym/worlds/alfworld/household_catalog.h"

namespace dreamgym::alfworld {
namespace {

/// What the house holds of each kind.
struct Inventory {
  std::map<std::string, std::size_t> objects;     ///< that can be picked up
  std::map<std::string, std::uint8_t> abilities;  ///< by object kind
  std::set<std::string> places;
  std::set<std::string> lamps;
  std::map<std::pair<std::string, std::string>, std::size_t> inside;  ///< (object, place) kinds

  explicit Inventory(const GameDescription& house) {
    for (const ReceptacleDescription& receptacle : house.receptacles) {
      places.insert(receptacle.type);
    }
    for (const ObjectDescription& object : house.objects) {
      if ((object.abilities & kToggleable) != 0) {
        lamps.insert(object.type);
      }
      if ((object.abilities & kPickupable) == 0) {
        continue;
      }
      ++objects[object.type];
      abilities[object.type] = object.abilities;
      for (const Index place : object.inside) {
        ++inside[{object.type, house.receptacles[place].type}];
      }
    }
  }
  [[nodiscard]] std::size_t lying(const std::string& object, const std::string& place) const {
    const auto found = inside.find({object, place});
    return found == inside.end() ? 0 : found->second;
  }
};

void add_placing_goals(const Inventory& has,
                       const std::string& object,
                       const std::string& place,
                       std::vector<Goal>& goals) {
  const auto add = [&](TaskType type) { goals.push_back({type, object, place, ""}); };
  const std::uint8_t can = has.abilities.at(object);
  if (has.lying(object, place) == 0) {
    add(TaskType::kPlace);
  }
  if ((can & kCleanable) != 0 && has.places.contains("sinkbasin") && place != "sinkbasin") {
    add(TaskType::kClean);
  }
  if ((can & kHeatable) != 0 && has.places.contains("microwave") && place != "microwave") {
    add(TaskType::kHeat);
  }
  if ((can & kCoolable) != 0 && has.places.contains("fridge") && place != "fridge") {
    add(TaskType::kCool);
  }
  if (has.objects.at(object) >= 2 && has.lying(object, place) < 2) {
    add(TaskType::kTwo);
  }
}

}  // namespace

std::vector<Goal> possible_goals(const GameDescription& house) {
  const Inventory has(house);
  std::vector<Goal> goals;
  for (const auto& [object, count] : has.objects) {
    for (const std::string& lamp : has.lamps) {
      goals.push_back({TaskType::kLight, object, "", lamp});
    }
    for (const std::string& place : has.places) {
      if (may_hold(place, object).value_or(false)) {
        add_placing_goals(has, object, place, goals);
      }
    }
  }
  return goals;
}

std::vector<Goal> choose_goals(std::vector<Goal> left, std::size_t count, Rng rng) {
  rng.shuffle(left);
  std::vector<TaskType> types(kTaskTypes.begin(), kTaskTypes.end());
  rng.shuffle(types);
  std::vector<Goal> chosen;
  for (std::size_t i = 0; chosen.size() < count && !left.empty(); ++i) {
    const TaskType type = types[i % types.size()];
    const auto found = std::ranges::find(left, type, &Goal::type);
    if (found != left.end()) {
      chosen.push_back(*found);
      left.erase(found);
    }
  }
  return chosen;
}

}  // namespace dreamgym::alfworld
