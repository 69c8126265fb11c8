// Tasks that a house offers.
#pragma once

#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/alfworld/game_description.h"

namespace dreamgym::alfworld {

/// Every goal that can be reached in the house and is not reached already, in a fixed order.
std::vector<Goal> possible_goals(const GameDescription& house);

/// `count` different ones of those left, of as many types as there are; fewer if there are fewer.
std::vector<Goal> choose_goals(std::vector<Goal> left, std::size_t count, Rng rng);

}  // namespace dreamgym::alfworld
