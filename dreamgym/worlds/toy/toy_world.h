// A tiny world to copy: boxes with keys in them, and two locked chests.
//
// "You are in a small room. There is a silver chest, a gold chest, a red box and a blue box." The
// task is to open one of the chests; its key lies in some box, which only opening shows. Half of
// what a real world needs is here in little: hidden contents, an action that can fail, a near miss
// (the other chest), admissible actions, a text-only mapper, teacher traces, an expert.
#pragma once

#include <memory>

#include "dreamgym/worlds/world.h"

namespace dreamgym {

std::unique_ptr<World> make_toy_world();

}  // namespace dreamgym
