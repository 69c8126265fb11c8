// A list of tasks as text lines, for checkpoints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// "tasks <n>\n" and one JSON line each.
std::string tasks_to_text(const std::vector<Task>& tasks);
/// Reads such a list from the front of `text` and removes it there. @throws Error kCorrupt.
std::vector<Task> tasks_from_text(std::string_view& text);

}  // namespace dreamgym
