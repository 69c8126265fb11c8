// From finished runs to the rows and pairs of a grid: what an arm came to, what it cost, how two compare.
//
// Pure functions of stage logs. Thread safety: reentrant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/apps/stage_log.h"
#include "dreamgym/report/grid.h"

namespace dreamgym {

/// An arm in its runs, a seed each; some of their stages may not be done.
struct CellRuns {
  std::string arm;
  std::span<const StageLog> logs;
};

/// Success of one policy in the runs of several seeds.
struct SeedSuccess {
  std::vector<double> seeds;  ///< share of tasks solved
  Interval interval;          ///< of their mean (t), or of a single seed's tasks (Wilson)
};

/// @param outcomes  [seeds][tasks] borrowed; above 0 = solved. Not empty, each with a task.
SeedSuccess success_over_seeds(std::span<const std::vector<double>* const> outcomes);

/// Fills in what was measured: success of each seed with its interval, and costs as means over the seeds.
void fill_measured(const CellRuns& cell, GridRow& row);

/// a minus b over the seeds whose panels both have played, task by task; nothing without two tasks.
std::optional<GridPair> compare_cells(const std::string& name_a,
                                      const CellRuns& a,
                                      const std::string& name_b,
                                      const CellRuns& b);

/// A measure of a stage; nothing if it is not done or has no such measure.
std::optional<double> stage_measure(const StageLog& log, const std::string& stage, const std::string& name);

}  // namespace dreamgym
