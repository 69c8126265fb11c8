#include "dreamgym/train/advantages.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {
namespace {

void require_group(std::span<const double> returns) {
  if (returns.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("a group holds {} episode(s), expected at least 2: one episode has no "
                            "siblings to be compared with",
                            returns.size()),
                "raise group_size to 2 or more, or train with a value head (ppo) instead");
  }
  internal::require_finite(returns, "episode returns of a group");
}

/// (return - mean) * scale.
std::vector<double> scaled(std::span<const double> returns, double mean, double scale) {
  std::vector<double> advantages;
  advantages.reserve(returns.size());
  for (const double value : returns) {
    advantages.push_back((value - mean) * scale);
  }
  return advantages;
}

}  // namespace

std::vector<double> group_advantages(std::span<const double> returns, double epsilon) {
  require_group(returns);
  const auto group = internal::group_statistics(returns);
  return scaled(returns, group.mean, 1.0 / (group.deviation + epsilon));
}

std::vector<double> centred_advantages(std::span<const double> returns) {
  require_group(returns);
  return scaled(returns, internal::group_statistics(returns).mean, 1.0);
}

std::vector<double> leave_one_out_advantages(std::span<const double> returns) {
  require_group(returns);
  const auto count = static_cast<double>(returns.size());
  return scaled(returns, internal::group_statistics(returns).mean, count / (count - 1));
}

}  // namespace dreamgym
