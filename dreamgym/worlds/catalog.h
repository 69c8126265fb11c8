// Every world there is, in one visible table (catalog.cc).
//
// A world's folder offers `std::unique_ptr<World> make_<name>_world()` in
// worlds/<name>/<name>_world.h; the table lists those functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/world.h"

namespace dreamgym {

/// Names in the table's order.
std::vector<std::string> world_names();
/// @throws Error kNotFound naming the worlds and the nearest; kInvalidArgument for "none", which has no engine.
std::unique_ptr<World> make_world(std::string_view name);

}  // namespace dreamgym
