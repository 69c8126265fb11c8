#include "dreamgym/train/reward_shaping.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {

std::vector<double> penalised_step_rewards(const Trajectory& trajectory, double penalty) {
  std::vector<double> rewards;
  for (const Transition& step : trajectory.steps) {
    rewards.push_back(step.reward);
  }
  internal::require_finite(rewards,
                           fmt::format("step rewards of episode \"{}\"", trajectory.episode_id));
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    rewards[i] -= trajectory.steps[i].action_valid ? 0.0 : penalty;
  }
  return rewards;
}

double overlong_penalty(std::size_t num_tokens, const OverlongConfig& config) {
  if (config.buffer_tokens == 0 || config.buffer_tokens > config.max_tokens) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("overlong buffer of {} token(s) for completions of at most {}, expected "
                    "1 to {}",
                    config.buffer_tokens,
                    config.max_tokens,
                    config.max_tokens),
        "DAPO takes a fifth of the longest completion");
  }
  const std::size_t free_tokens = config.max_tokens - config.buffer_tokens;
  if (num_tokens <= free_tokens) {
    return 0.0;
  }
  const double share =
      static_cast<double>(num_tokens - free_tokens) / static_cast<double>(config.buffer_tokens);
  return -config.factor * std::min(1.0, share);
}

}  // namespace dreamgym
