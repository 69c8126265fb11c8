// A KL coefficient that follows a target.
//
// Thread safety: none; a value.
#pragma once

#include <cstddef>

namespace dreamgym {

struct AdaptiveKlConfig {
  double start = 0.001;  ///< first coefficient, > 0
  double target = 0.1;   ///< wanted KL to the reference, nats per token, > 0
  double horizon =
      10'000.0;  ///< episodes over which a constant error of 20% changes it by about 20%
};

class AdaptiveKl {
 public:
  /// @throws Error kInvalidArgument if a number is not positive.
  explicit AdaptiveKl(const AdaptiveKlConfig& config);
  /// As above, with the coefficient a checkpoint holds.
  AdaptiveKl(const AdaptiveKlConfig& config, double coefficient);

  [[nodiscard]] double coefficient() const { return coefficient_; }

  /// coefficient *= 1 + clip(kl / target - 1, -0.2, 0.2) x num_episodes / horizon.
  /// A KL that is not finite changes nothing.
  ///
  /// @param kl            mean over the update's tokens, nats.
  /// @param num_episodes  of the update; verl's "steps".
  /// Source:              Ziegler et al. (arXiv 1909.08593); verl AdaptiveKLController.
  void update(double kl, std::size_t num_episodes);

 private:
  AdaptiveKlConfig config_;
  double coefficient_;
};

}  // namespace dreamgym
