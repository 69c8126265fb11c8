// Holds a varied shopping task against the catalogue it is set in: some product must meet it in
// full.
//
// The instruction is searched for in the seed's own shop. A product found meets it if its
// attributes and option values that stand in the instruction, its name, query and category account
// for all of its words (but those that the seed's instruction has and its own product does not
// account for: "gift for my mother"), at least one attribute is asked for, the price limit is not
// below its price, and buying it with these options is worth 1. The first such product becomes the
// task's goal, so that the engine can play it too (settings "goal"); its sentence takes the place
// of the seed's in the first observation.
#pragma once

#include <memory>

#include "dreamgym/env/task_reviser.h"
#include "dreamgym/worlds/webshop/shop_library.h"

namespace dreamgym::webshop {

std::unique_ptr<TaskReviser> make_task_reviser(std::shared_ptr<ShopLibrary> library);

}  // namespace dreamgym::webshop
