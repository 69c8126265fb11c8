// The reward of a dreamed step by the world's own rule instead of the model's word.
//
// A model's rewards are its weakest part: it grants what it has just contradicted and misses what it
// has just shown. Where a rule can read success off the task, the actions and the pages shown, the
// model keeps the pages and the rule decides. Deviation from the paper, whose experience model says the
// reward itself (Eq. 4).
// Thread safety: pure.
#pragma once

#include <span>
#include <string_view>

#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/experience/recollection.h"

namespace dreamgym {

/// What the rule pays for the episode so far, taken as ended by its last step, in [0, 1]: 1 exactly on a
/// success that the text bears out, less for a part of the goal in worlds that pay for one.
/// @param past  steps before the last one, from the episode's start.
double reward_by_rule(const EpisodeAuditor& rule,
                        const Task& task,
                        std::string_view first_observation,
                        std::span<const PastStep> past,
                        const PastStep& last);

}  // namespace dreamgym
