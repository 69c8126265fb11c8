#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/alfworld/internal/domain_rules.h"
#include "dreamgym/worlds/alfworld/internal/goal_parser.h"
#include "dreamgym/worlds/alfworld/internal/lisp.h"
#include "dreamgym/worlds/alfworld/internal/problem.h"

namespace dreamgym::alfworld {
namespace {

struct ObjectFact {
  std::string_view predicate;
  bool is_condition;
  std::uint8_t bit;
};

constexpr ObjectFact kObjectFacts[] = {
    {"pickupable", false, kPickupable},
    {"cleanable", false, kCleanable},
    {"heatable", false, kHeatable},
    {"coolable", false, kCoolable},
    {"toggleable", false, kToggleable},
    {"sliceable", false, kSliceable},
    {"isreceptacleobject", false, kHoldsThings},
    {"isclean", true, kClean},
    {"ishot", true, kHot},
    {"iscool", true, kCool},
    {"ison", true, kOn},
    {"istoggled", true, kToggled},
    {"issliced", true, kSliced},
};

/// Facts that nothing reads.
constexpr std::string_view kIgnored[] = {"moveable",
                                         "checked",
                                         "examined",
                                         "wasinreceptacle",
                                         "full",
                                         "isreceptacleobjectfull",
                                         "holdsanyreceptacleobject"};

using Names = std::map<std::string_view, Index>;

class ProblemParser {
 public:
  ProblemParser(const Lisp& problem, const std::string& source)
      : problem_(problem), source_(source) {}

  GameDescription parse() {
    const Lisp& init = section(":init");
    number_ids(init);
    for (std::size_t i = 1; i < init.items.size(); ++i) {
      add_fact(init.items[i]);
    }
    if (description_.agent_location == kNone) {
      fail(ErrorKind::kParse, "no fact (atLocation agent location)");
    }
    description_.goal = parse_goal(section(":goal"), source_);
    std::ranges::sort(description_.can_contain);
    const auto twice = std::ranges::unique(description_.can_contain);
    description_.can_contain.erase(twice.begin(), twice.end());
    return std::move(description_);
  }

 private:
  [[noreturn]] void fail(ErrorKind kind, const std::string& why) const {
    throw Error(kind,
                fmt::format("{}: pddl_problem: {}", source_, why),
                "expected the PDDL problem of an ALFWorld game");
  }

  const Lisp& section(std::string_view name) const {
    for (const Lisp& item : problem_.items) {
      if (item.head() == name && item.items.size() > 1) {
        return item;
      }
    }
    fail(ErrorKind::kParse, fmt::format("no section ({} ...)", name));
  }

  /// Ids in sorted order; which kind an id is of is told by the facts it occurs in.
  void number_ids(const Lisp& init) {
    std::set<std::string_view> locations;
    std::set<std::string_view> receptacles;
    std::set<std::string_view> objects;
    for (std::size_t i = 1; i < init.items.size(); ++i) {
      const Lisp& fact = init.items[i];
      if (fact.head() == "receptacletype") {
        receptacles.insert(argument(fact, 1));
      } else if (fact.head() == "objecttype") {
        objects.insert(argument(fact, 1));
      } else if (fact.head() == "atlocation" || fact.head() == "receptacleatlocation" ||
                 fact.head() == "objectatlocation") {
        locations.insert(argument(fact, 2));
      }
    }
    for (const std::string_view id : locations) {
      locations_.emplace(id, static_cast<Index>(locations_.size()));
      description_.locations.emplace_back(id);
    }
    for (const std::string_view id : receptacles) {
      receptacles_.emplace(id, static_cast<Index>(receptacles_.size()));
      description_.receptacles.emplace_back().id = id;
    }
    for (const std::string_view id : objects) {
      objects_.emplace(id, static_cast<Index>(objects_.size()));
      description_.objects.emplace_back().id = id;
    }
  }

  [[nodiscard]] std::string_view argument(const Lisp& fact, std::size_t index) const {
    if (index >= fact.items.size() || !fact.items[index].is_atom()) {
      fail(ErrorKind::kParse, fmt::format("the fact {} lacks an argument", to_text(fact)));
    }
    return fact.items[index].atom;
  }

  Index look_up(const Names& names, const Lisp& fact, std::size_t index) const {
    const auto found = names.find(argument(fact, index));
    if (found == names.end()) {
      fail(ErrorKind::kUnsupported,
           fmt::format("{} names something without a type", to_text(fact)));
    }
    return found->second;
  }
  ObjectDescription& object(const Lisp& fact, std::size_t index = 1) {
    return description_.objects[look_up(objects_, fact, index)];
  }
  ReceptacleDescription& receptacle(const Lisp& fact, std::size_t index = 1) {
    return description_.receptacles[look_up(receptacles_, fact, index)];
  }

  void add_fact(const Lisp& fact) {
    const std::string_view name = fact.head();
    if (const auto* const known = std::ranges::find(kObjectFacts, name, &ObjectFact::predicate);
        known != std::end(kObjectFacts)) {
      ObjectDescription& thing = object(fact);
      std::uint8_t& bits = known->is_condition ? thing.conditions : thing.abilities;
      bits = static_cast<std::uint8_t>(bits | known->bit);
    } else if (name == "receptacletype") {
      receptacle(fact).type = type_word(argument(fact, 2));
    } else if (name == "objecttype") {
      object(fact).type = type_word(argument(fact, 2));
    } else if (name == "cancontain") {
      description_.can_contain.emplace_back(type_word(argument(fact, 1)),
                                            type_word(argument(fact, 2)));
    } else if (name == "openable") {
      receptacle(fact).openable = true;
    } else if (name == "opened") {
      receptacle(fact).opened = true;
    } else if (name != "=" && std::ranges::find(kIgnored, name) == std::end(kIgnored)) {
      add_place(fact);
    }
  }

  void add_place(const Lisp& fact) {
    const std::string_view name = fact.head();
    if (name == "atlocation") {
      description_.agent_location = look_up(locations_, fact, 2);
    } else if (name == "receptacleatlocation") {
      Index& location = receptacle(fact).location;
      if (location != kNone && location != look_up(locations_, fact, 2)) {
        fail(ErrorKind::kUnsupported, fmt::format("{} has two locations", argument(fact, 1)));
      }
      location = look_up(locations_, fact, 2);
    } else if (name == "objectatlocation") {
      add(object(fact).at, look_up(locations_, fact, 2));
    } else if (name == "inreceptacle") {
      add(object(fact).inside, look_up(receptacles_, fact, 2));
    } else if (name == "inreceptacleobject") {
      add(object(fact, 2).contents, look_up(objects_, fact, 1));
    } else {
      fail(ErrorKind::kUnsupported, fmt::format("unknown fact {}", to_text(fact)));
    }
  }

  static void add(std::vector<Index>& set, Index value) {
    const auto place = std::ranges::lower_bound(set, value);
    if (place == set.end() || *place != value) {
      set.insert(place, value);
    }
  }

  const Lisp& problem_;
  const std::string& source_;
  GameDescription description_;
  Names locations_, receptacles_, objects_;
};

}  // namespace

GameDescription parse_problem(std::string_view problem, const std::string& source) {
  const std::string normalized = normalized_pddl(problem);
  const Lisp lisp = parse_lisp(normalized, source + ": pddl_problem");
  GameDescription description = ProblemParser(lisp, source).parse();
  // The problem's name keeps its case.
  constexpr std::string_view kProblem = "(problem ";
  if (const std::size_t at = normalized.find(kProblem); at != std::string::npos) {
    const std::size_t begin = at + kProblem.size();
    description.name = problem.substr(begin, normalized.find(')', begin) - begin);
  }
  return description;
}

}  // namespace dreamgym::alfworld
