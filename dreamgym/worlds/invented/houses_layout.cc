#include "dreamgym/worlds/invented/houses_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "dreamgym/worlds/invented/phrasing.h"

namespace dreamgym::invented {
namespace {

using alfworld::GameDescription;
using alfworld::Index;
using alfworld::ObjectDescription;
using alfworld::ReceptacleDescription;
using alfworld::TaskType;

struct PlaceKind {
  std::string name;  ///< displayed
  std::string type;  ///< the engine's: a device's real type, else the name
  bool openable = false;
};

struct ThingKind {
  std::string name;
  std::uint8_t abilities = 0;
};

/// Draws one house; its parts in the order in which they depend on each other.
class HouseDrawing {
 public:
  HouseDrawing(NameDeal& names, Rng& rng) : names_(names), rng_(rng) {}

  HouseLayout draw() {
    draw_place_kinds();
    draw_thing_kinds();
    draw_goal();
    draw_fits();
    add_places();
    add_things();
    house().name = "invented";
    return std::move(layout_);
  }

 private:
  static constexpr std::size_t kNumDevices = 3;
  static constexpr std::size_t kMostThings = 5;  ///< in one place at the start

  GameDescription& house() { return layout_.description; }

  /// The first three kinds are the devices.
  void draw_place_kinds() {
    static constexpr std::array<std::string_view, kNumDevices> kDevices = {
        "sinkbasin", "microwave", "fridge"};
    for (const std::string_view device : kDevices) {
      places_.push_back({names_.next(), std::string(device), device != "sinkbasin"});
    }
    const int num_kinds = between(2, 6, rng_);
    for (int i = 0; i < num_kinds; ++i) {
      const std::string& name = names_.next();
      places_.push_back({name, name, chance(0.4, rng_)});
    }
  }

  /// The first kind is the lamp, the second the one the task is about.
  void draw_thing_kinds() {
    things_.push_back({names_.next(), alfworld::kToggleable});
    const int num_kinds = between(3, 8, rng_);
    for (int i = 0; i < num_kinds; ++i) {
      ThingKind& kind = things_.emplace_back();
      kind.name = names_.next();
      kind.abilities = alfworld::kPickupable;
      for (const alfworld::Ability ability :
           {alfworld::kCleanable, alfworld::kHeatable, alfworld::kCoolable}) {
        add_ability(kind, ability, chance(0.6, rng_));
      }
      add_ability(kind, alfworld::kHoldsThings, chance(0.15, rng_));
    }
  }

  static void add_ability(ThingKind& kind, unsigned ability, bool has) {
    kind.abilities = static_cast<std::uint8_t>(kind.abilities | (has ? ability : 0U));
  }

  void draw_goal() {
    const TaskType type = alfworld::kTaskTypes[rng_.below(alfworld::kTaskTypes.size())];
    const PlaceKind& place = places_[rng_.below(places_.size())];
    const bool has_place = type != TaskType::kLight;
    house().goal = {.type = type,
                    .object = things_[1].name,
                    .receptacle = has_place ? place.type : "",
                    .lamp = has_place ? "" : things_[0].name};
    layout_.shown_goal = house().goal;
    layout_.shown_goal.receptacle = has_place ? place.name : "";
    add_ability(things_[1], needed_ability(type), true);
    house().task = alfworld::task_sentence(layout_.shown_goal, static_cast<int>(rng_.below(2)));
  }

  static std::uint8_t needed_ability(TaskType type) {
    switch (type) {
      case TaskType::kClean:
        return alfworld::kCleanable;
      case TaskType::kHeat:
        return alfworld::kHeatable;
      case TaskType::kCool:
        return alfworld::kCoolable;
      default:
        return 0;
    }
  }

  void draw_fits() {
    for (const PlaceKind& place : places_) {
      for (const ThingKind& thing : things_) {
        const bool is_goal = place.type == house().goal.receptacle && thing.name == things_[1].name;
        if (is_goal || chance(0.75, rng_)) {
          house().can_contain.emplace_back(place.type, thing.name);
        }
      }
    }
    std::ranges::sort(house().can_contain);
  }

  [[nodiscard]] bool fits(const std::string& place_type, const std::string& thing) const {
    return std::ranges::binary_search(layout_.description.can_contain,
                                      std::pair(place_type, thing));
  }

  /// Each at a location of its own; devices once, other kinds up to four times.
  void add_places() {
    const std::size_t most = static_cast<std::size_t>(between(4, 14, rng_));
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < places_.size(); ++kind) {
      const bool is_needed =
          places_[kind].type == house().goal.receptacle || is_needed_device(kind);
      if (is_needed || kind >= kNumDevices || chance(0.6, rng_)) {
        kinds.push_back(kind);
      }
    }
    while (kinds.size() < most) {
      kinds.push_back(kNumDevices + rng_.below(places_.size() - kNumDevices));
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const PlaceKind& kind = places_[kinds[i]];
      house().receptacles.push_back({.id = fmt::format("{}_bar_{:02}", kind.name, i),
                                     .type = kind.type,
                                     .openable = kind.openable,
                                     .opened = kind.openable && chance(0.1, rng_)});
    }
    std::ranges::sort(house().receptacles, {}, &ReceptacleDescription::id);
    for (std::size_t i = 0; i <= kinds.size(); ++i) {  // one more: where the agent starts
      house().locations.push_back(fmt::format("loc_bar_{:02}", i));
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      house().receptacles[i].location = static_cast<Index>(i);
    }
    house().agent_location = static_cast<Index>(kinds.size());
  }

  [[nodiscard]] bool is_needed_device(std::size_t kind) const {
    static constexpr std::array kTreatments = {TaskType::kClean, TaskType::kHeat, TaskType::kCool};
    return kind < kNumDevices && layout_.description.goal.type == kTreatments[kind];
  }

  void add_things() {
    const bool wants_two = house().goal.type == TaskType::kTwo;
    for (std::size_t kind = 0; kind < things_.size(); ++kind) {
      const bool is_lamp = kind == 0;
      if (is_lamp && house().goal.type != TaskType::kLight && chance(0.7, rng_)) {
        continue;
      }
      int count = is_lamp ? 1 : between(1, 3, rng_);
      count = kind == 1 && wants_two ? std::max(2, count) : count;
      for (int i = 0; i < count; ++i) {
        add_thing(things_[kind], static_cast<std::size_t>(house().objects.size()));
      }
    }
    std::ranges::sort(house().objects, {}, &ObjectDescription::id);
  }

  void add_thing(const ThingKind& kind, std::size_t serial) {
    std::vector<Index> possible;
    for (std::size_t i = 0; i < house().receptacles.size(); ++i) {
      const std::string& type = house().receptacles[i].type;
      // The task must not be fulfilled at the start.
      const bool is_goal = kind.name == house().goal.object && type == house().goal.receptacle;
      if (!is_goal && fits(type, kind.name) && count_in(static_cast<Index>(i)) < kMostThings) {
        possible.push_back(static_cast<Index>(i));
      }
    }
    if (possible.empty()) {  // anywhere but in the goal's places
      for (std::size_t i = 0; i < house().receptacles.size(); ++i) {
        if (house().receptacles[i].type != house().goal.receptacle) {
          possible.push_back(static_cast<Index>(i));
        }
      }
    }
    const Index place = rng_.choose(possible);
    ObjectDescription& object = house().objects.emplace_back();
    object.id = fmt::format("{}_bar_{:02}", kind.name, serial);
    object.type = kind.name;
    object.abilities = kind.abilities;
    object.inside = {place};
    object.at = {house().receptacles[place].location};
  }

  [[nodiscard]] std::size_t count_in(Index place) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        layout_.description.objects,
        [&](const ObjectDescription& object) { return object.inside.front() == place; }));
  }

  NameDeal& names_;
  Rng& rng_;
  HouseLayout layout_;
  std::vector<PlaceKind> places_;
  std::vector<ThingKind> things_;
};

}  // namespace

HouseLayout draw_house(NameDeal& names, Rng& rng) {
  return HouseDrawing(names, rng).draw();
}

}  // namespace dreamgym::invented
