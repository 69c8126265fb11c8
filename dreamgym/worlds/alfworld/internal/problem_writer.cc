#include <fmt/format.h>

#include <set>

#include "dreamgym/worlds/alfworld/household_catalog.h"
#include "dreamgym/worlds/alfworld/internal/goal_parser.h"
#include "dreamgym/worlds/alfworld/internal/problem.h"

namespace dreamgym::alfworld {
namespace {

/// "mug" -> "MugType", as the real files write it where the kind is known.
std::string pddl_type(const std::string& kind) {
  if (const ObjectKind* object = find_object_kind(kind)) {
    return object->pddl + "Type";
  }
  if (const ReceptacleKind* receptacle = find_receptacle_kind(kind)) {
    return receptacle->pddl + "Type";
  }
  return kind + "Type";
}

struct Bit {
  const char* fact;
  std::uint8_t bit;
};
constexpr Bit kAbilityFacts[] = {{"pickupable", kPickupable},
                                 {"cleanable", kCleanable},
                                 {"heatable", kHeatable},
                                 {"coolable", kCoolable},
                                 {"toggleable", kToggleable},
                                 {"sliceable", kSliceable},
                                 {"isReceptacleObject", kHoldsThings}};
constexpr Bit kConditionFacts[] = {{"isClean", kClean},
                                   {"isHot", kHot},
                                   {"isCool", kCool},
                                   {"isOn", kOn},
                                   {"isToggled", kToggled},
                                   {"isSliced", kSliced}};

class ProblemWriter {
 public:
  explicit ProblemWriter(const GameDescription& description) : given_(description) {}

  std::string write() {
    text_ = fmt::format("(define (problem {})\n(:domain alfred)\n(:objects\n", given_.name);
    write_objects();
    text_ += ")\n(:init\n";
    write_init();
    text_ += ")\n" + goal_text(given_.goal, pddl_type) + ")\n";
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += "  " + content + "\n"; }
  void fact(std::string_view name, const std::string& first) {
    line(fmt::format("({} {})", name, first));
  }
  void fact(std::string_view name, const std::string& first, const std::string& second) {
    line(fmt::format("({} {} {})", name, first, second));
  }

  void write_objects() {
    std::set<std::string> object_types;
    std::set<std::string> receptacle_types;
    for (const auto& [receptacle, object] : given_.can_contain) {
      receptacle_types.insert(pddl_type(receptacle));
      object_types.insert(pddl_type(object));
    }
    for (const ReceptacleDescription& receptacle : given_.receptacles) {
      receptacle_types.insert(pddl_type(receptacle.type));
    }
    for (const ObjectDescription& object : given_.objects) {
      object_types.insert(pddl_type(object.type));
    }
    line("agent1 - agent");
    for (const std::string& type : object_types) {
      line(type + " - otype");
    }
    for (const std::string& type : receptacle_types) {
      line(type + " - rtype");
    }
    for (const ObjectDescription& object : given_.objects) {
      line(object.id + " - object");
    }
    for (const ReceptacleDescription& receptacle : given_.receptacles) {
      line(receptacle.id + " - receptacle");
    }
    for (const std::string& location : given_.locations) {
      line(location + " - location");
    }
  }

  void write_init() {
    fact("atLocation", "agent1", given_.locations[given_.agent_location]);
    for (const auto& [receptacle, object] : given_.can_contain) {
      fact("canContain", pddl_type(receptacle), pddl_type(object));
    }
    for (const ReceptacleDescription& receptacle : given_.receptacles) {
      fact("receptacleType", receptacle.id, pddl_type(receptacle.type));
      if (receptacle.location != kNone) {
        fact("receptacleAtLocation", receptacle.id, given_.locations[receptacle.location]);
      }
      if (receptacle.openable) {
        fact("openable", receptacle.id);
      }
      if (receptacle.opened) {
        fact("opened", receptacle.id);
      }
    }
    for (const ObjectDescription& object : given_.objects) {
      write_object(object);
    }
  }

  void write_object(const ObjectDescription& object) {
    fact("objectType", object.id, pddl_type(object.type));
    for (const Bit& ability : kAbilityFacts) {
      if ((object.abilities & ability.bit) != 0) {
        fact(ability.fact, object.id);
      }
    }
    for (const Bit& condition : kConditionFacts) {
      if ((object.conditions & condition.bit) != 0) {
        fact(condition.fact, object.id);
      }
    }
    for (const Index receptacle : object.inside) {
      fact("inReceptacle", object.id, given_.receptacles[receptacle].id);
    }
    for (const Index location : object.at) {
      fact("objectAtLocation", object.id, given_.locations[location]);
    }
    for (const Index inner : object.contents) {
      fact("inReceptacleObject", given_.objects[inner].id, object.id);
    }
  }

  const GameDescription& given_;
  std::string text_;
};

}  // namespace

std::string problem_text(const GameDescription& description) {
  return ProblemWriter(description).write();
}

}  // namespace dreamgym::alfworld
