#include "dreamgym/train/whitening.h"

#include <fmt/format.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {

std::vector<std::vector<double>> whitened(const std::vector<std::vector<double>>& values,
                                          const std::vector<std::vector<bool>>& mask) {
  constexpr double kEpsilon = 1e-8;
  check(values.size() == mask.size(), "a mask for each sequence");
  std::vector<double> chosen;
  for (std::size_t n = 0; n < values.size(); ++n) {
    check(values[n].size() == mask[n].size(), "a mask entry for each token");
    for (std::size_t t = 0; t < values[n].size(); ++t) {
      if (mask[n][t]) {
        chosen.push_back(values[n][t]);
      }
    }
  }
  if (chosen.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("whitening a batch with {} token(s) of the policy, expected at least 2",
                            chosen.size()),
                "the completion masks are empty: check that the episodes have sampled tokens");
  }
  internal::require_finite(chosen, "token values to be whitened");

  const auto statistics = internal::group_statistics(chosen);
  const double scale = 1.0 / std::sqrt(statistics.deviation * statistics.deviation + kEpsilon);
  std::vector<std::vector<double>> out;
  for (std::size_t n = 0; n < values.size(); ++n) {
    std::vector<double>& row = out.emplace_back(values[n].size(), 0.0);
    for (std::size_t t = 0; t < row.size(); ++t) {
      row[t] = mask[n][t] ? (values[n][t] - statistics.mean) * scale : 0.0;
    }
  }
  return out;
}

}  // namespace dreamgym
