// The comparison table as text and as JSON lines.
#pragma once

#include <string>

#include "dreamgym/report/results.h"

namespace dreamgym {

/// Rows of arms and of paired comparisons, aligned for a terminal.
std::string results_table(const RunResults& results);
/// One JSON object a line: first the arms, then the pairs, then the check.
std::string results_json_lines(const RunResults& results);

}  // namespace dreamgym
