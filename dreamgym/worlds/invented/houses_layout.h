// House descriptions with invented nouns, for the household engine (worlds/alfworld).
//
// Rules and wording are the engine's; what things are called, what opens, what fits where and which
// place cleans, heats or cools is drawn afresh, so that nothing of a real house is told.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/alfworld/game_description.h"
#include "dreamgym/worlds/alfworld/task_goal.h"
#include "dreamgym/worlds/invented/names.h"

namespace dreamgym::invented {

struct HouseLayout {
  alfworld::GameDescription description;
  /// The goal in the words that the texts use. The description's own goal says "sinkbasin" where
  /// the engine must know that the place cleans; its displayed name is an invented one.
  alfworld::Goal shown_goal;
};

/// A house of 4 to 14 places whose task is not yet fulfilled but can be.
HouseLayout draw_house(NameDeal& names, Rng& rng);

}  // namespace dreamgym::invented
