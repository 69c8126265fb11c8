#include "dreamgym/train/adaptive_kl.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/train/internal/require.h"

namespace dreamgym {

AdaptiveKl::AdaptiveKl(const AdaptiveKlConfig& config) : AdaptiveKl(config, config.start) {}

AdaptiveKl::AdaptiveKl(const AdaptiveKlConfig& config, double coefficient)
    : config_(config), coefficient_(coefficient) {
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr double kMost = std::numeric_limits<double>::max();
  internal::require_between(coefficient, kLeast, kMost, "coefficient of the adaptive KL");
  internal::require_between(config.target, kLeast, kMost, "target of the adaptive KL");
  internal::require_between(config.horizon, kLeast, kMost, "horizon of the adaptive KL");
}

void AdaptiveKl::update(double kl, std::size_t num_episodes) {
  if (!std::isfinite(kl)) {
    return;
  }
  const double error = std::clamp(kl / config_.target - 1.0, -0.2, 0.2);
  coefficient_ *= 1.0 + error * static_cast<double>(num_episodes) / config_.horizon;
}

}  // namespace dreamgym
