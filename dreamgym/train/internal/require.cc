#include "dreamgym/train/internal/require.h"

#include <fmt/format.h>

#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {

void require_finite(std::span<const double> values, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("{}: value {} of {} is {}, expected a finite number",
                              what,
                              i + 1,
                              values.size(),
                              values[i]),
                  "a reward that could not be determined is an infrastructure error: leave the "
                  "episode out instead of giving it a number");
    }
  }
}

void require_between(double value, double lowest, double highest, std::string_view what) {
  if (!(value >= lowest && value <= highest)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} is {}, expected {} to {}", what, value, lowest, highest),
                fmt::format("set {} within that range", what));
  }
}

}  // namespace dreamgym::internal
