// A plan with full knowledge: proof that a game can be won, and the file's "walkthrough".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

/// Commands that win the game from its start, played to make sure; nothing if there are none.
std::optional<std::vector<std::string>> find_walkthrough(const AlfredGame& game);

}  // namespace dreamgym::alfworld
