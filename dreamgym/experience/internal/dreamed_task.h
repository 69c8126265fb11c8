// What every dream takes from a task and an action, whichever model dreams it.
#pragma once

#include <cstddef>
#include <string>

#include "dreamgym/data/types.h"

namespace dreamgym::experience_internal {

/// Longer actions are cut before the model reads them; no world knows commands of this length.
inline constexpr std::size_t kMaxActionBytes = 400;

/// The observation the dream starts from.
/// @throws Error kInvalidArgument naming the task if it has none.
const std::string& first_observation(const Task& task);

}  // namespace dreamgym::experience_internal
