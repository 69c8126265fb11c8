#include "dreamgym/train/policy_loss.h"

#include <algorithm>
#include <cmath>

namespace dreamgym {

PolicyTokenLoss clipped_policy_loss(const PolicyToken& token, const PolicyLossConfig& config) {
  PolicyTokenLoss out;
  const double difference = token.logprob - token.old_logprob;
  const double log_ratio = std::clamp(difference, -config.max_log_ratio, config.max_log_ratio);
  const bool clamped = log_ratio != difference;
  out.ratio = std::exp(log_ratio);
  out.kl_to_old = -difference;

  const double cut = std::clamp(out.ratio, 1.0 - config.clip_low, 1.0 + config.clip_high);
  const double plain = out.ratio * token.advantage;
  const double bounded = cut * token.advantage;
  out.clipped = bounded < plain;
  out.loss = -std::min(plain, bounded);
  if (!out.clipped && !clamped) {
    out.d_logprob = -out.ratio * token.advantage;  // d ratio / d logprob = ratio
  }

  if (config.kl_coefficient > 0) {
    // k3 = exp(-d) - 1 + d with d = logprob - reference.
    const double d = std::clamp(
        token.logprob - token.reference_logprob, -config.max_log_ratio, config.max_log_ratio);
    const double k3 = std::exp(-d) - 1.0 + d;
    out.kl_to_reference = std::min(k3, config.max_kl);
    out.loss += config.kl_coefficient * out.kl_to_reference;
    if (k3 < config.max_kl) {
      out.d_logprob += config.kl_coefficient * (1.0 - std::exp(-d));
    }
  }
  return out;
}

}  // namespace dreamgym
