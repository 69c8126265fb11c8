#include "dreamgym/train/cispo.h"

#include <algorithm>
#include <cmath>

namespace dreamgym {

PolicyTokenLoss cispo_policy_loss(const PolicyToken& token, const PolicyLossConfig& config) {
  PolicyTokenLoss out;
  const double difference = token.logprob - token.old_logprob;
  out.ratio = std::exp(std::clamp(difference, -config.max_log_ratio, config.max_log_ratio));
  out.kl_to_old = -difference;
  const double cut =
      std::clamp(out.ratio, std::max(0.0, 1.0 - config.clip_low), 1.0 + config.clip_high);
  out.clipped = cut != out.ratio;
  out.d_logprob = -token.weight * cut * token.advantage;
  out.loss = out.d_logprob * token.logprob;
  add_reference_kl(token, config, out);
  return out;
}

}  // namespace dreamgym
