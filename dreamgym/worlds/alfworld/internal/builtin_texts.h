// Domain and grammar that generated games carry, and the wordings of the dialects.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

/// Stands for the task's sentence in the grammar that is parsed once.
inline constexpr std::string_view kTaskPlaceholder = "@TASK@";

/// The PDDL domain of all dialects (kV04 has the action "help" at its end).
std::string builtin_domain(Dialect dialect);

/// The TextWorld grammar of a dialect with the task's sentence filled in.
/// @throws Error kUnsupported for k2020: those files bring their own.
std::string builtin_grammar(Dialect dialect, std::string_view task);

}  // namespace dreamgym::alfworld
