// What went wrong, read off the metrics: the healthy ranges of docs/metrics.md as rules.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/report/run_folder.h"

namespace dreamgym {

/// One rule broken in one phase.
struct Alarm {
  std::string phase;
  std::string metric;
  std::uint64_t step = 0;     ///< where it first happened
  std::size_t num_steps = 0;  ///< at how many steps
  std::string text;           ///< what it means and what to do
  bool operator==(const Alarm&) const = default;
};

/// Alarms in the order of the series, at most one for each rule and series.
std::vector<Alarm> find_alarms(std::span<const MetricSeries> metrics);

}  // namespace dreamgym
