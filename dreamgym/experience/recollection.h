// What this episode has already shown about the things an action names.
//
// The whole history is in the prompt, but a small model can't find one list among hundreds of tokens.
// So the steps that mention an entity of the action ("drawer 2": a word and a number), back to the last one
// that stated all there is at that entity, are shown again right before the query. A trace's field "here"
// states it after a change ("here: fork 1, cup 2"), an observation with effect "new" or "again" by showing
// it. So a model that keeps "here" right never has to add up more than one change.
// They are part of the history H_t, so nothing leaks.
// Pure functions. Thread safety: reentrant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/experience/experience_prompt.h"

namespace dreamgym {

struct PastStep {
  std::string action;
  std::string reasoning_trace;
  std::string observation;  ///< what it led to
};

/// Matching steps from the last one that stated what is at an entity of the action, or was the very same
/// action, up to now (without such a one: the latest), at most `most` of them, oldest first. A step
/// matches if its action names one of the action's entities, if it stated what is at a place that the
/// action names ("at" of its trace), or if it is the same action. A step whose trace says "here" is shown with
/// that in the place of its observation. Where the action names a thing, a statement is followed by the rest:
/// what it names beside the place and the action's things ("rest: fork 1, cup 2"), so that a list minus one
/// thing is there to be copied. Where no step matches, what the latest observation that lists one of the
/// action's entities says of it: of "item 1 red pen $3, item 2 ..." for "open item 1" "item 1 red pen $3".
std::vector<Demonstration> recollect(std::span<const PastStep> past,
                                     std::string_view action,
                                     std::size_t most);

/// What is at the place where the last step ended: the latest step that showed it, as far as traces say.
std::optional<Demonstration> recollect_place(std::span<const PastStep> past);

}  // namespace dreamgym
