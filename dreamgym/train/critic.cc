#include "dreamgym/train/critic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym {

PackedBatch critic_batch(const PackedBatch& policy_batch, const CriticConfig& config) {
  if (config.good == config.bad || !(config.highest > config.lowest)) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("critic with markers {} and {}, values {} to {}: expected two different "
                    "markers and a range",
                    config.good,
                    config.bad,
                    config.lowest,
                    config.highest),
        "lowest and highest are the least and the largest return of an episode");
  }
  PackedBatch out = policy_batch;
  const std::array<TokenId, 2> both = {std::min(config.good, config.bad),
                                       std::max(config.good, config.bad)};
  out.allowed.assign(both.begin(), both.end());
  for (TokenQuery& query : out.queries) {
    query.target = config.good;
    query.temperature = 1.0F;
    query.allowed_begin = 0;
    query.allowed_end = 2;
  }
  return out;
}

double critic_value(double logprob, const CriticConfig& config) {
  return config.lowest + (config.highest - config.lowest) * std::exp(logprob);
}

double critic_gradient(double logprob, double d_value, const CriticConfig& config) {
  return d_value * (config.highest - config.lowest) * std::exp(logprob);
}

}  // namespace dreamgym
