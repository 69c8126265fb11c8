// The effects a trace can state.
#pragma once

#include <array>

#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym::experience_internal {

inline constexpr std::array kAllEffects = {
    effects::kNew, effects::kAgain, effects::kClosed, effects::kMoved, effects::kDone, effects::kInvalid};

}  // namespace dreamgym::experience_internal
