// The curves and the transfer of a grid: Fig. 3 of the paper, left and middle. (Right is a row.)
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/report/grid.h"
#include "dreamgym/report/internal/grid_table.h"

namespace dreamgym::report_internal {

/// What was measured of them, as tables.
std::vector<Table> figure_tables(const Grid& grid);

/// The same with charts, as HTML sections; "" if nothing was measured.
std::string figures(const Grid& grid);

}  // namespace dreamgym::report_internal
