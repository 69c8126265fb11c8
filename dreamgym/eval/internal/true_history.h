// Asks a dream for every step of real episodes, each from its true history.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "dreamgym/data/types.h"
#include "dreamgym/experience/stepwise_dream.h"

namespace dreamgym::eval_internal {

/// @param seed_of  of the episode of that number. @param visit  called with episode, step and what was proposed.
void walk_true_history(StepwiseDream& dream,
                       std::span<const Trajectory> stories,
                       const std::function<std::uint64_t(std::size_t episode)>& seed_of,
                       const std::function<void(std::size_t episode, std::size_t step, const StepResult& proposed)>& visit);

}  // namespace dreamgym::eval_internal
