#include "dreamgym/train/policy_loss.h"

#include <algorithm>
#include <cmath>

namespace dreamgym {

PolicyTokenLoss clipped_policy_loss(const PolicyToken& token, const PolicyLossConfig& config) {
  const double difference = token.logprob - token.old_logprob;
  const ClippedSurrogate surrogate = clipped_surrogate(difference, token.advantage, config);
  PolicyTokenLoss out{.loss = token.weight * surrogate.loss,
                      .d_logprob = token.weight * surrogate.d_log_ratio,
                      .ratio = surrogate.ratio,
                      .kl_to_old = -difference,
                      .clipped = surrogate.clipped};
  add_reference_kl(token, config, out);
  return out;
}

ClippedSurrogate clipped_surrogate(double log_ratio,
                                   double advantage,
                                   const PolicyLossConfig& config) {
  ClippedSurrogate out;
  const double clamped = std::clamp(log_ratio, -config.max_log_ratio, config.max_log_ratio);
  out.ratio = std::exp(clamped);
  const double plain = -out.ratio * advantage;
  const double bounded =
      -std::clamp(out.ratio, 1.0 - config.clip_low, 1.0 + config.clip_high) * advantage;
  out.clipped = bounded > plain;
  out.loss = std::max(plain, bounded);
  if (config.dual_clip > 0 && advantage < 0 && out.loss > -advantage * config.dual_clip) {
    out.clipped = true;
    out.loss = -advantage * config.dual_clip;
  }
  if (!out.clipped && clamped == log_ratio) {
    out.d_log_ratio = plain;  // d ratio / d log ratio = ratio
  }
  return out;
}

void add_reference_kl(const PolicyToken& token,
                      const PolicyLossConfig& config,
                      PolicyTokenLoss& loss) {
  if (config.kl_coefficient <= 0) {
    return;
  }
  const KlTerm kl = kl_estimate(token.logprob - token.reference_logprob,
                                {.estimator = config.kl_estimator,
                                 .straight_through = config.kl_straight_through,
                                 .max_log_ratio = config.max_log_ratio,
                                 .max_kl = config.max_kl});
  loss.kl_to_reference = kl.value;
  loss.loss += config.kl_coefficient * kl.value;
  loss.d_logprob += config.kl_coefficient * kl.d_logprob;
}

}  // namespace dreamgym
