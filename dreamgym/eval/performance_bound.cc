#include "dreamgym/eval/performance_bound.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

void require(bool holds, const char* name, double value, const char* range) {
  if (!holds) {
    throw Error(ErrorKind::kInvalidArgument, fmt::format("bound: {} is {}, expected {}", name, value, range));
  }
}

}  // namespace

PerformanceBound performance_bound(const BoundInputs& inputs) {
  const double gamma = inputs.discount;
  const double r_max = inputs.largest_reward;
  require(gamma > 0 && gamma < 1, "the discount", gamma, "a number in (0, 1)");
  require(r_max > 0, "the largest reward", r_max, "a number above 0");
  require(inputs.reward_error >= 0 && inputs.reward_error <= r_max, "the reward error", inputs.reward_error, "one in [0, largest reward]");
  require(inputs.transition_error >= 0 && inputs.transition_error <= 1, "the transition error", inputs.transition_error, "one in [0, 1]");
  require(inputs.policy_divergence >= 0, "the divergence", inputs.policy_divergence, "none below 0");
  const double horizon = 1 / (1 - gamma);
  PerformanceBound bound;
  bound.model_gap = inputs.reward_error * horizon +
                    2 * gamma * r_max * inputs.transition_error * horizon * horizon;
  bound.surrogate_gain = horizon * inputs.surrogate_advantage;
  bound.trust_region_penalty = 4 * gamma * horizon * horizon * (r_max * horizon) * inputs.policy_divergence;
  bound.model_penalty = 2 * bound.model_gap;
  bound.improvement = bound.surrogate_gain - bound.trust_region_penalty - bound.model_penalty;
  return bound;
}

}  // namespace dreamgym
