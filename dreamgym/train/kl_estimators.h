// Per-token estimators of KL(policy || reference), each with its derivative; in the loss or in the
// reward.
//
// d = logprob - reference_logprob, of a token drawn from the policy. Thread safety: reentrant.
#pragma once

#include <span>
#include <vector>

namespace dreamgym {

enum class KlEstimator {
  kK1,   ///< d: unbiased, may be negative; its derivative has mean 0, so useless in a loss as it is
  kAbs,  ///< |d|
  kK2,   ///< d^2 / 2: biased value, but its derivative is that of the true KL
  kK3,   ///< exp(-d) - 1 + d: unbiased, never negative, low variance
};

struct KlConfig {
  KlEstimator estimator = KlEstimator::kK3;
  /// "+" forms: the value of the estimator with the derivative of k2 (that of the true KL).
  bool straight_through = false;
  double max_log_ratio = 20.0;  ///< k3: d is clamped to +- this before exp
  double max_kl = 10.0;         ///< k3: the result is clamped to this
};

struct KlTerm {
  double value = 0;      ///< nats
  double d_logprob = 0;  ///< derivative with respect to the policy's log-probability
};

/// The estimate for one token. k3 has no derivative where a clamp is at work.
/// Source: http://joschu.net/blog/kl-approx.html; verl kl_penalty (low_var_kl and the "+" forms).
KlTerm kl_estimate(double difference, const KlConfig& config);

/// KL in the reward: reward_t - coefficient x k_t for each token. The derivative plays no part.
///
/// @param rewards, logprobs, reference_logprobs  [T] of the tokens the policy chose.
/// @param coefficient  >= 0.
/// @return             [T].
/// Source:             InstructGPT (arXiv 2203.02155) Eq. 2; verl apply_kl_penalty.
std::vector<double> kl_penalised_rewards(std::span<const double> rewards,
                                         std::span<const double> logprobs,
                                         std::span<const double> reference_logprobs,
                                         double coefficient,
                                         const KlConfig& config);

}  // namespace dreamgym
