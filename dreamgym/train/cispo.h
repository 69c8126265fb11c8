// CISPO: clip the importance weight, keep every token's gradient.
//
// Thread safety: reentrant.
#pragma once

#include "dreamgym/train/policy_loss.h"

namespace dreamgym {

/// -constant(clip(ratio)) x A x logprob + kl_coefficient x KL estimate. Unlike the PPO clip it
/// never silences a token: beyond the bound its gradient keeps the bound's weight.
///
/// @param config  clip_low >= 1 leaves the ratio without lower bound, as the paper does; dual_clip
///                plays no part.
/// @return        clipped tells that the ratio was outside the bounds.
/// Source:        CISPO, MiniMax-M1 (arXiv 2506.13585).
PolicyTokenLoss cispo_policy_loss(const PolicyToken& token, const PolicyLossConfig& config);

}  // namespace dreamgym
