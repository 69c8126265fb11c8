#include "dreamgym/train/gspo.h"

#include "dreamgym/base/error.h"

namespace dreamgym {

std::vector<PolicyTokenLoss> gspo_policy_losses(std::span<const PolicyToken> tokens,
                                                const PolicyLossConfig& config) {
  check(!tokens.empty(), "a sequence has a token");
  double mean_log_ratio = 0;
  for (const PolicyToken& token : tokens) {
    mean_log_ratio += (token.logprob - token.old_logprob) / static_cast<double>(tokens.size());
  }
  std::vector<PolicyTokenLoss> losses;
  losses.reserve(tokens.size());
  for (const PolicyToken& token : tokens) {
    const ClippedSurrogate surrogate = clipped_surrogate(mean_log_ratio, token.advantage, config);
    PolicyTokenLoss& loss = losses.emplace_back();
    loss.loss = token.weight * surrogate.loss;
    loss.d_logprob = token.weight * surrogate.d_log_ratio;
    loss.ratio = surrogate.ratio;
    loss.kl_to_old = token.old_logprob - token.logprob;
    loss.clipped = surrogate.clipped;
    add_reference_kl(token, config, loss);
  }
  return losses;
}

}  // namespace dreamgym
