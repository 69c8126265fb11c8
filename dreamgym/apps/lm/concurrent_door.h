// Many requests under way at once: for files of prompts rather than for conversations.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "dreamgym/apps/lm/model_doors.h"

namespace dreamgym::lm {

/// As answer_lines() with ModelDoors::generate(): the same answers in the order of the lines, with up
/// to `concurrent` requests side by side. Lines are read ahead of the answers.
/// @throws Error of a line, which it names; the answers before it may not all have been written.
void generate_concurrently(ModelDoors& model,
                           std::size_t concurrent,
                           std::istream& in,
                           std::ostream& out);

}  // namespace dreamgym::lm
