// How an episode ended, in words and from its last step. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// "success", "failure", "truncated", "infrastructure_error".
std::string_view outcome_name(Outcome outcome);
std::optional<Outcome> outcome_from_name(std::string_view name);

/// A step that failed for reasons of infrastructure says so in its info, and so does its episode.
/// Else: a world that ended the episode with a last reward of at least 1 says success; with less,
/// failure. An episode that has not ended was cut: truncated.
Outcome outcome_of_last(const Transition& last);

/// Sets outcome and episode_return from the steps; an episode without steps is truncated.
void settle_outcome(Trajectory& trajectory);

}  // namespace dreamgym
