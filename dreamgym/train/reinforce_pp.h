// REINFORCE++: no critic and no group; returns to go, whitened over the whole batch.
//
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/train/grouped_advantages.h"

namespace dreamgym {

/// One sequence.
struct RewardedTokens {
  std::vector<double> rewards;        ///< [T] finite; 0 where the mask is false
  std::vector<bool> completion_mask;  ///< [T] true where the policy chose the token
};

/// G_t = r_t + gamma G_{t+1} over the tokens the policy chose, whitened over the batch.
///
/// @param gamma   discount per token, in [0, 1].
/// @return        [N][T_n] dimensionless; 0 where the mask is false.
/// @throws Error  kInvalidArgument for a reward that is not finite or lies on a token of the
///                environment, for fewer than 2 chosen tokens, for gamma outside [0, 1].
/// Deviation:     verl forgets the return to go at each token of the environment, so that earlier
///                turns never hear of a later reward (verl#7278); here it passes over them.
/// Source:        REINFORCE++ (arXiv 2501.03262); verl
/// compute_reinforce_plus_plus_outcome_advantage.
std::vector<std::vector<double>> reinforce_pp_advantages(std::span<const RewardedTokens> batch,
                                                         double gamma);

/// Baseline variant: score - group mean, then whitened over the batch's tokens, so that a sequence
/// weighs by its length.
///
/// @param samples     [N].
/// @param num_tokens  [N] tokens of each sample that the policy chose.
/// @param keep_singletons  verl's rule, as in GroupAdvantageConfig.
/// @return            [N] the advantage of every token of the sample; 0 if it is left out.
/// @throws Error      kInvalidArgument for a score that is not finite, or if fewer than 2 tokens
/// are
///                    left.
/// Source:            REINFORCE++-baseline, same paper.
std::vector<double> reinforce_pp_baseline_advantages(std::span<const GroupSample> samples,
                                                     std::span<const std::size_t> num_tokens,
                                                     bool keep_singletons = false);

}  // namespace dreamgym
