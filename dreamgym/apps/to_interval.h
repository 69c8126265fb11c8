// An estimate as a report shows it: eval and report know nothing of each other.
#pragma once

#include "dreamgym/eval/statistics.h"
#include "dreamgym/report/results.h"

namespace dreamgym {

inline Interval to_interval(const Estimate& estimate) { return {estimate.value, estimate.low, estimate.high}; }

}  // namespace dreamgym
