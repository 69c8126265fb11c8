// Mean and spread of the scores of one group.
//
// Thread safety: reentrant.
#pragma once

#include <span>

namespace dreamgym::internal {

struct GroupStatistics {
  double mean = 0;       ///< the common score itself where all are equal, whatever rounding does
  double deviation = 0;  ///< divides by n - 1; 0 for one score
  bool all_equal = true;
};

/// @param scores  [n], n >= 1.
GroupStatistics group_statistics(std::span<const double> scores);

}  // namespace dreamgym::internal
