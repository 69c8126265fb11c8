// The goal of a PDDL problem as one of the six task types.
#pragma once

#include <string>

#include "dreamgym/worlds/alfworld/internal/lisp.h"
#include "dreamgym/worlds/alfworld/task_goal.h"

namespace dreamgym::alfworld {

/// @param goal  the list (:goal ...).
/// @throws Error kUnsupported if it is not exactly one of ALFWorld's six.
Goal parse_goal(const Lisp& goal, const std::string& source);

/// The list (:goal ...) that parse_goal reads.
/// @param goal_type  gives type names their case, e.g. "mug" -> "MugType".
std::string goal_text(const Goal& goal, std::string (*goal_type)(const std::string&));

}  // namespace dreamgym::alfworld
