#include "dreamgym/worlds/alfworld/internal/goal_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/internal/domain_rules.h"

namespace dreamgym::alfworld {
namespace {

// {o}, {r}, {t} stand for the types. The order of facts inside "and" does not matter.
constexpr std::string_view kPlaceGoal =
    "(:goal (and (exists (?r - receptacle) (exists (?o - object) (and (inReceptacle ?o ?r) "
    "(objectType ?o {o}) (receptacleType ?r {r}))))))";
constexpr std::string_view kTreatedGoal =
    "(:goal (and (exists (?r - receptacle) (exists (?o - object) (and ({able} ?o) "
    "(objectType ?o {o}) (receptacleType ?r {r}) ({state} ?o) (inReceptacle ?o ?r))))))";
constexpr std::string_view kTwoGoal =
    "(:goal (and (exists (?r - receptacle) (exists (?o1 - object) (and (objectType ?o1 {o}) "
    "(receptacleType ?r {r}) (inReceptacle ?o1 ?r) (exists (?o2 - object) (and "
    "(not (= ?o1 ?o2)) (objectType ?o2 {o}) (receptacleType ?r {r}) (inReceptacle ?o2 ?r))))))))";
constexpr std::string_view kLightGoal =
    "(:goal (and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and "
    "(objectType ?ot {t}) (toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l) "
    "(atLocation ?a ?l) (inReceptacle ?ot ?r))) (exists (?o - object ?a - agent) (and "
    "(objectType ?o {o}) (holds ?a ?o)))))";

std::string goal_form(TaskType type) {
  switch (type) {
    case TaskType::kPlace:
      return std::string(kPlaceGoal);
    case TaskType::kTwo:
      return std::string(kTwoGoal);
    case TaskType::kLight:
      return std::string(kLightGoal);
    case TaskType::kClean:
      return replace_all(replace_all(kTreatedGoal, "{able}", "cleanable"), "{state}", "isClean");
    case TaskType::kHeat:
      return replace_all(replace_all(kTreatedGoal, "{able}", "heatable"), "{state}", "isHot");
    case TaskType::kCool:
      return replace_all(replace_all(kTreatedGoal, "{able}", "coolable"), "{state}", "isCool");
  }
  return "";
}

/// Collects the types that the goal's facts name; the last one of each kind stays.
void collect_types(const Lisp& lisp, Goal& goal) {
  if (lisp.items.size() == 3 && lisp.items[2].is_atom()) {
    std::string word = type_word(lisp.items[2].atom);
    if (lisp.head() == "receptacletype") {
      goal.receptacle = std::move(word);
    } else if (lisp.head() == "objecttype" && lisp.items[1].atom == "?ot") {
      goal.lamp = std::move(word);
    } else if (lisp.head() == "objecttype") {
      goal.object = std::move(word);
    }
  }
  for (const Lisp& item : lisp.items) {
    collect_types(item, goal);
  }
}

/// Equal for goals that differ only in the order of facts inside "and".
std::string canonical(const Lisp& lisp) {
  if (lisp.is_atom()) {
    return std::string(lisp.atom);
  }
  std::vector<std::string> parts;
  for (const Lisp& item : lisp.items) {
    parts.push_back(canonical(item));
  }
  if (lisp.head() == "and") {
    std::sort(parts.begin() + 1, parts.end());
  }
  return "(" + join(parts, " ") + ")";
}

std::string lower_type(const std::string& word) {
  return word + "type";
}

}  // namespace

std::string goal_text(const Goal& goal, std::string (*goal_type)(const std::string&)) {
  std::string text = replace_all(goal_form(goal.type), "{o}", goal_type(goal.object));
  text = replace_all(text, "{r}", goal_type(goal.receptacle));
  return replace_all(text, "{t}", goal_type(goal.lamp));
}

Goal parse_goal(const Lisp& goal, const std::string& source) {
  Goal parsed;
  collect_types(goal, parsed);
  const std::string found = canonical(goal);
  for (const TaskType type : kTaskTypes) {
    parsed.type = type;
    const std::string expected = normalized_pddl(goal_text(parsed, lower_type));
    if (canonical(parse_lisp(expected, "goal")) == found) {
      return parsed;
    }
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: pddl_problem: the goal is none of ALFWorld's six: {}",
                          source,
                          shorten(to_text(goal), 400)),
              "see docs/worlds/alfworld.md for the six goals");
}

}  // namespace dreamgym::alfworld
