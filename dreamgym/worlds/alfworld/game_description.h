// A game as its file states it, before it is compiled: things, places, what is where.
//
// The loader reads one from a game file, the generator makes one, the writer turns one into a file;
// build_game (game.h) compiles it. Ids are PDDL's, lower-cased
// ("mug_bar__plus_00_dot_97_bar__plus_01_dot_37_bar__minus_01_dot_53").
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/worlds/alfworld/task_goal.h"

namespace dreamgym::alfworld {

/// Index of an object, receptacle or location; kNone where there is none.
using Index = std::uint16_t;
inline constexpr Index kNone = 0xffff;

/// Bits of an object: what can be done with it.
enum Ability : std::uint8_t {
  kPickupable = 1,
  kCleanable = 2,
  kHeatable = 4,
  kCoolable = 8,
  kToggleable = 16,
  kSliceable = 32,
  kHoldsThings = 64,  ///< a "receptacle object", e.g. a bowl
};

/// Bits of an object that change.
enum Condition : std::uint8_t {
  kClean = 1,
  kHot = 2,
  kCool = 4,
  kOn = 8,
  kToggled = 16,
  kSliced = 32,
};

struct ReceptacleDescription {
  std::string id;
  std::string type;        ///< e.g. "sinkbasin"
  Index location = kNone;  ///< into locations
  bool openable = false;
  bool opened = false;
  bool operator==(const ReceptacleDescription&) const = default;
};

struct ObjectDescription {
  std::string id;
  std::string type;             ///< e.g. "mug"
  std::uint8_t abilities = 0;   ///< of Ability
  std::uint8_t conditions = 0;  ///< of Condition, at the start
  std::vector<Index> inside;    ///< receptacles it lies in; real files sometimes name two
  std::vector<Index> at;  ///< locations; real files sometimes name another than the receptacle's
  std::vector<Index> contents;  ///< objects inside this object
  bool operator==(const ObjectDescription&) const = default;
};

/// Receptacles, objects and locations are sorted by id.
struct GameDescription {
  std::string name;  ///< of the PDDL problem, e.g. "plan_trial_T20190911_101248_326533"
  std::vector<std::string> locations;
  std::vector<ReceptacleDescription> receptacles;
  std::vector<ObjectDescription> objects;
  std::vector<std::pair<std::string, std::string>> can_contain;  ///< (receptacle type, object type)
  Index agent_location = kNone;
  Goal goal;
  std::string task;  ///< the sentence, e.g. "put some mug on desk."
  bool operator==(const GameDescription&) const = default;
};

}  // namespace dreamgym::alfworld
