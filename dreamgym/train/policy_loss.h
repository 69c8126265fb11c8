// The clipped policy-gradient loss of one token, with its derivative.
//
// Pure functions in double precision; the model only ever sees d loss / d logprob.
// Thread safety: reentrant.
#pragma once

namespace dreamgym {

struct PolicyLossConfig {
  double clip_low = 0.2;            ///< ratio is clipped to [1 - clip_low, 1 + clip_high]; in (0, 1)
  double clip_high = 0.2;           ///< > 0
  double kl_coefficient = 0.0;      ///< of the k3 estimator against the reference policy; >= 0
  double entropy_coefficient = 0.0; ///< bonus; >= 0
  double max_log_ratio = 20.0;      ///< log-ratios are clamped to +- this before exp
  double max_kl = 10.0;             ///< the k3 term is clamped to this
};

struct PolicyToken {
  double logprob = 0;            ///< under the policy being trained
  double old_logprob = 0;        ///< under the policy that sampled it
  double reference_logprob = 0;  ///< under the reference policy; used if kl_coefficient > 0
  double advantage = 0;
};

struct PolicyTokenLoss {
  double loss = 0;       ///< to be minimised
  double d_logprob = 0;  ///< derivative with respect to PolicyToken::logprob
  double ratio = 1;      ///< exp(logprob - old_logprob), clamped
  double kl_to_old = 0;  ///< k1 estimate: old_logprob - logprob
  double kl_to_reference = 0;  ///< k3 estimate; 0 if unused
  bool clipped = false;  ///< the clip cut the gradient
};

/// -min(ratio A, clip(ratio) A) + kl_coefficient k3(logprob, reference).
/// Source: PPO (arXiv 1707.06347) Eq. 7; k3 as in GRPO (arXiv 2402.03300) Eq. 4.
/// The entropy bonus is applied by the caller, who knows the token's entropy.
PolicyTokenLoss clipped_policy_loss(const PolicyToken& token, const PolicyLossConfig& config);

}  // namespace dreamgym
