// What a game's PDDL domain may vary in; anything else it says must be the rules the engine has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::alfworld {

struct DomainRules {
  std::vector<std::string> actions;  ///< lower-cased, in the file's order
  /// Types (lower-case words) that the action's alternatives name.
  std::vector<std::string> sinks, microwaves, fridges, knives;
};

/// @throws Error kParse; kUnsupported if an action is unknown or is not what the engine does.
DomainRules parse_domain(std::string_view domain, const std::string& source);

/// Those of the built-in domain of kV04.
const DomainRules& builtin_rules();

/// "MugType" or "mugtype" -> "mug".
std::string type_word(std::string_view type);

}  // namespace dreamgym::alfworld
