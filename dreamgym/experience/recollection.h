// What this episode has already shown about the things an action names.
//
// The whole history is in the prompt, but a small model can't find one list among hundreds of tokens.
// So the steps that mention an entity of the action ("drawer 2": a word and a number), back to the last time
// the same action was taken, are shown again right before the query, as demonstrations of the episode itself.
// They are part of the history H_t, so nothing leaks.
// Pure functions. Thread safety: reentrant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/experience/experience_prompt.h"

namespace dreamgym {

/// Room a prompt keeps for each recollection, tokens.
inline constexpr std::size_t kRecollectionReserve = 64;

struct PastStep {
  std::string action;
  std::string observation;  ///< what it led to
};

/// "take mug 1 from desk 2" -> {"mug 1", "desk 2"}.
std::vector<std::string> entities_of(std::string_view text);

/// Matching steps from the last time the very same action was taken up to now (without such a time: the
/// latest ones), at most `most` of them, oldest first. A step matches if its action names one of the
/// action's entities or is the same action. So a second look at a place is shown the first one and
/// what was changed there since.
std::vector<Demonstration> recollect(std::span<const PastStep> past,
                                     std::string_view action,
                                     std::size_t most);

}  // namespace dreamgym
