#include "dreamgym/train/advantages.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double squared_deviation(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum;
}

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

}  // namespace

std::vector<double> group_advantages(std::span<const double> returns, double epsilon) {
  if (returns.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument, "a group needs at least 2 episodes");
  }
  std::vector<double> advantages(returns.size(), 0.0);
  if (all_equal(returns)) {
    return advantages;
  }
  const double mean = mean_of(returns);
  const double deviation =
      std::sqrt(squared_deviation(returns, mean) / static_cast<double>(returns.size() - 1));
  for (std::size_t i = 0; i < returns.size(); ++i) {
    advantages[i] = (returns[i] - mean) / (deviation + epsilon);
  }
  return advantages;
}

}  // namespace dreamgym
