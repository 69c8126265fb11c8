// Distinct tasks of one split, from a generator that draws any.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym {

/// The first options.count (0: default_count) tasks of options.split with distinct ids that the
/// numbered draws give. More tasks for one seed begin with the fewer ones.
/// @param draw  a task from its own stream, with id and split set.
/// @throws Error kInvalidArgument if thousands of draws in a row bring nothing new.
std::vector<Task> draw_tasks(const WorldOptions& options,
                             std::size_t default_count,
                             const std::function<Task(Rng)>& draw);

}  // namespace dreamgym
