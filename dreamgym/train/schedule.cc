#include "dreamgym/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dreamgym {

double warmup_cosine(std::size_t update,
                     std::size_t total,
                     std::size_t warmup,
                     double final_share) {
  const double rise =
      warmup == 0 ? 1.0 : std::min(1.0, static_cast<double>(update + 1) / static_cast<double>(warmup));
  const double done =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(update) / static_cast<double>(total));
  return rise * (final_share + (1.0 - final_share) * 0.5 * (1.0 + std::cos(std::numbers::pi * done)));
}

}  // namespace dreamgym
