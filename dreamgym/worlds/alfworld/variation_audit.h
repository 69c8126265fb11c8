// Whether a generated task can be done in a house: its goal is put into the house's game, and a plan with full
// knowledge is looked for and played.
//
// Nothing of it reaches a policy or a dream: what is hidden stays hidden. It only measures generated tasks.
#pragma once

#include <memory>

#include "dreamgym/env/task_auditor.h"

namespace dreamgym::alfworld {

std::unique_ptr<TaskAuditor> make_variation_auditor();

}  // namespace dreamgym::alfworld
