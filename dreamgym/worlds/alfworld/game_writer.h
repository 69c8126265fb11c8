// Writes a game as ALFWorld's own files, so that any reader of them (and a person) can use it.
#pragma once

#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

/// Content of a game.tw-pddl: {"pddl_domain", "grammar", "pddl_problem", "solvable",
/// "walkthrough"}.
/// @param dialect  kV04 or kV03.
std::string game_file_text(const GameDescription& description, Dialect dialect);

/// Content of the traj_data.json beside it: task type and parameters as ALFRED names them.
std::string trajectory_data_text(const GameDescription& description);

/// Writes both into the folder (made if needed).
/// @return the path of game.tw-pddl.
Path write_game(const GameDescription& description, const Path& folder, Dialect dialect);

}  // namespace dreamgym::alfworld
