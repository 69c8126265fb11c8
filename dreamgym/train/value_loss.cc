#include "dreamgym/train/value_loss.h"

#include <algorithm>

namespace dreamgym {

ValueTokenLoss clipped_value_loss(double value,
                                  double old_value,
                                  double episode_return,
                                  const ValueLossConfig& config) {
  const double error = value - episode_return;
  ValueTokenLoss out{.loss = error * error / 2, .d_value = error};
  if (config.clip > 0) {
    const double near = std::clamp(value, old_value - config.clip, old_value + config.clip);
    const double near_error = near - episode_return;
    out.clipped = near_error * near_error > error * error;  // only where near is a bound
    if (out.clipped) {
      out.loss = near_error * near_error / 2;
      out.d_value = 0;
    }
  }
  return out;
}

}  // namespace dreamgym
