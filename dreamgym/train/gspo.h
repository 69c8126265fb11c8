// GSPO: the importance ratio of a whole sequence, clipped as one.
//
// Thread safety: reentrant.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/train/policy_loss.h"

namespace dreamgym {

/// ratio = exp(mean over tokens of (logprob - old_logprob)); every token's loss is the clipped loss
/// at that ratio, and its derivative passes straight through to the token. Under the aggregation
/// kSequenceMeanOfTokenMean (loss_aggregation.h) this is exactly the gradient of
/// max(-ratio A, -clip(ratio) A) of the sequence.
///
/// @param tokens  [T] of one sequence that the policy chose, T >= 1.
/// @param config  bounds are those of a sequence: 3e-4 and 4e-4 in the paper.
/// @return        [T].
/// Source:        GSPO (arXiv 2507.18071); verl compute_policy_loss_gspo.
/// Deviation:     the mean log-ratio is clamped to +- max_log_ratio (verl: at most 10).
std::vector<PolicyTokenLoss> gspo_policy_losses(std::span<const PolicyToken> tokens,
                                                const PolicyLossConfig& config);

}  // namespace dreamgym
