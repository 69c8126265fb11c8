// Does an episode's own text bear out the success it claims, and does it contradict itself?
//
// Contradictions: a reply about another thing or place than the action named; an object taken that
// was never shown there or held twice; a list on a second look that disagrees with what was shown
// and done since; a door that opens when open; something put down or treated that is not held; a
// place the room does not have. Episodes of generated houses have none (tested). Real houses have
// few: some of their files list a pan both on a burner and on the counter.
#pragma once

#include <memory>

#include "dreamgym/env/episode_auditor.h"

namespace dreamgym::alfworld {

std::unique_ptr<EpisodeAuditor> make_text_auditor();

}  // namespace dreamgym::alfworld
