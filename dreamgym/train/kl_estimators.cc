#include "dreamgym/train/kl_estimators.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

KlTerm k3(double difference, const KlConfig& config) {
  const double d = std::clamp(difference, -config.max_log_ratio, config.max_log_ratio);
  const double value = std::exp(-d) - 1.0 + d;
  if (d != difference || value > config.max_kl) {
    return {std::min(value, config.max_kl), 0.0};
  }
  return {value, 1.0 - std::exp(-d)};
}

KlTerm plain_estimate(double difference, const KlConfig& config) {
  switch (config.estimator) {
    case KlEstimator::kK1:
      return {difference, 1.0};
    case KlEstimator::kAbs:
      return {std::abs(difference), difference < 0 ? -1.0 : difference > 0 ? 1.0 : 0.0};
    case KlEstimator::kK2:
      return {difference * difference / 2, difference};
    case KlEstimator::kK3:
      return k3(difference, config);
  }
  throw LogicError("unknown KL estimator");
}

}  // namespace

KlTerm kl_estimate(double difference, const KlConfig& config) {
  KlTerm term = plain_estimate(difference, config);
  if (config.straight_through) {
    term.d_logprob = difference;
  }
  return term;
}

std::vector<double> kl_penalised_rewards(std::span<const double> rewards,
                                         std::span<const double> logprobs,
                                         std::span<const double> reference_logprobs,
                                         double coefficient,
                                         const KlConfig& config) {
  check(rewards.size() == logprobs.size(), "a log-probability for each reward");
  check(rewards.size() == reference_logprobs.size(), "a reference log-probability for each reward");
  std::vector<double> out;
  for (std::size_t t = 0; t < rewards.size(); ++t) {
    const double kl = kl_estimate(logprobs[t] - reference_logprobs[t], config).value;
    out.push_back(rewards[t] - coefficient * kl);
  }
  return out;
}

}  // namespace dreamgym
