#include "dreamgym/train/internal/group_statistics.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {

GroupStatistics group_statistics(std::span<const double> scores) {
  check(!scores.empty(), "a group has a score");
  GroupStatistics out{.mean = scores.front()};
  out.all_equal =
      std::all_of(scores.begin(), scores.end(), [&](double score) { return score == out.mean; });
  if (out.all_equal) {
    return out;
  }
  double sum = 0;
  for (const double score : scores) {
    sum += score;
  }
  out.mean = sum / static_cast<double>(scores.size());
  double squares = 0;
  for (const double score : scores) {
    squares += (score - out.mean) * (score - out.mean);
  }
  out.deviation = std::sqrt(squares / static_cast<double>(scores.size() - 1));
  return out;
}

}  // namespace dreamgym::internal
