#include "dreamgym/train/dynamic_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {

SelectedGroups select_groups(std::span<const std::vector<double>> returns,
                             std::size_t num_kept,
                             std::size_t num_wanted,
                             std::size_t round,
                             const DynamicSamplingConfig& config) {
  if (config.max_rounds == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                "max_rounds of dynamic sampling is 0, expected at least 1",
                "1 keeps every group of the first round; verl-agent takes 10");
  }
  SelectedGroups out;
  std::vector<std::size_t> passed_over;
  std::size_t num_equal = 0;
  for (std::size_t g = 0; g < returns.size(); ++g) {
    internal::require_finite(returns[g], fmt::format("episode returns of group {}", g));
    const bool is_equal =
        std::adjacent_find(returns[g].begin(), returns[g].end(), std::not_equal_to<>()) ==
        returns[g].end();
    num_equal += is_equal ? 1 : 0;
    (is_equal && config.enabled ? passed_over : out.kept).push_back(g);
  }
  if (!returns.empty()) {
    out.equal_share = static_cast<double>(num_equal) / static_cast<double>(returns.size());
  }
  const std::size_t missing = num_wanted - std::min(num_wanted, num_kept);
  out.sample_again = config.enabled && out.kept.size() < missing && round + 1 < config.max_rounds;
  if (!out.sample_again) {
    out.kept.insert(out.kept.end(), passed_over.begin(), passed_over.end());
  }
  out.kept.resize(std::min(out.kept.size(), missing));
  return out;
}

}  // namespace dreamgym
