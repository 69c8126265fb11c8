// The clipped policy-gradient loss of one token, with its derivative.
//
// Pure functions in double precision; the model only ever sees d loss / d logprob.
// Thread safety: reentrant.
#pragma once

#include "dreamgym/train/kl_estimators.h"

namespace dreamgym {

struct PolicyLossConfig {
  double clip_low = 0.2;        ///< ratio is clipped to [1 - clip_low, 1 + clip_high]; in (0, 1)
  double clip_high = 0.2;       ///< > 0; above clip_low = DAPO's clip-higher (0.28)
  double kl_coefficient = 0.0;  ///< of the KL estimate against the reference policy; >= 0
  double entropy_coefficient = 0.0;  ///< bonus; >= 0
  double max_log_ratio = 20.0;       ///< log-ratios are clamped to +- this before exp
  double max_kl = 10.0;              ///< the k3 term is clamped to this
  /// Dual clip: for a negative advantage the loss is at most -advantage x dual_clip; > 1 (verl: 3),
  /// 0 = off.
  double dual_clip = 0.0;
  KlEstimator kl_estimator = KlEstimator::kK3;
  bool kl_straight_through = false;  ///< as KlConfig::straight_through
};

struct PolicyToken {
  double logprob = 0;            ///< under the policy being trained
  double old_logprob = 0;        ///< under the policy that sampled it
  double reference_logprob = 0;  ///< under the reference policy; used if kl_coefficient > 0
  double advantage = 0;
  double weight = 1;  ///< of the policy term (mismatch_correction.h); a constant, >= 0
};

struct PolicyTokenLoss {
  double loss = 0;             ///< to be minimised
  double d_logprob = 0;        ///< derivative with respect to PolicyToken::logprob
  double ratio = 1;            ///< exp(logprob - old_logprob), clamped
  double kl_to_old = 0;        ///< k1 estimate: old_logprob - logprob
  double kl_to_reference = 0;  ///< estimate of kl_estimator; 0 if unused
  bool clipped = false;        ///< the clip cut the gradient
};

/// weight x max(-ratio A, -clip(ratio) A), bounded by the dual clip, + kl_coefficient x KL
/// estimate. The entropy bonus is applied by the caller, who knows the token's entropy.
///
/// Source: PPO (arXiv 1707.06347) Eq. 7; dual clip: arXiv 1912.09729; asymmetric bounds: DAPO
///         (arXiv 2503.14476) Eq. 10; k3 as in GRPO (arXiv 2402.03300) Eq. 4.
PolicyTokenLoss clipped_policy_loss(const PolicyToken& token, const PolicyLossConfig& config);

/// The policy term as a function of a log-ratio, whoever the ratio belongs to (token or sequence).
struct ClippedSurrogate {
  double loss = 0;
  double d_log_ratio = 0;  ///< 0 where a clip or the clamp cuts
  double ratio = 1;
  bool clipped = false;
};
ClippedSurrogate clipped_surrogate(double log_ratio,
                                   double advantage,
                                   const PolicyLossConfig& config);

/// Adds kl_coefficient x KL estimate to the loss and its derivative.
void add_reference_kl(const PolicyToken& token,
                      const PolicyLossConfig& config,
                      PolicyTokenLoss& loss);

}  // namespace dreamgym
