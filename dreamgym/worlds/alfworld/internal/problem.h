// The PDDL problem of a game: what is where at the start, and the goal.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/worlds/alfworld/game_description.h"

namespace dreamgym::alfworld {

/// Everything of a description but the task's sentence.
/// @throws Error kParse; kUnsupported for facts or goals that ALFWorld games do not have.
GameDescription parse_problem(std::string_view problem, const std::string& source);

/// The problem in PDDL; parse_problem gives the description back.
std::string problem_text(const GameDescription& description);

}  // namespace dreamgym::alfworld
