// ALFWorld in the catalogue: generated houses, or the benchmark's own games.
//
// Without a data folder all splits are generated (see house_generator.h); with one, tasks are the
// games under <data_folder>/games/<split>/**/game.tw-pddl (for "train" also games/valid_train).
// Extra options of tasks(): "receptacles" ("9" or "8-10"), "objects" (most in one receptacle),
// "objects_per_receptacle", "tasks_per_house", "houses" (how many), "text" ("full" or "compact" first observation),
// "dialect" ("0.4", "0.3").
#pragma once

#include <memory>

#include "dreamgym/worlds/world.h"

namespace dreamgym {

std::unique_ptr<World> make_alfworld_world();

}  // namespace dreamgym
