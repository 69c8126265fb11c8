// What retrieval hands to the prompt.
#pragma once

#include <vector>

#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

/// Most similar first becomes most similar last: closest to the query.
std::vector<Demonstration> to_demonstrations(const std::vector<ReplayHit>& hits);

}  // namespace dreamgym
