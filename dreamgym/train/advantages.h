// Advantages of one group: how much better an episode was than its siblings on the same task.
//
// Pure functions. No tensors, no I/O. Thread safety: reentrant.
#pragma once

#include <span>
#include <vector>

namespace dreamgym {

/// Group-relative advantages: (return - group mean) / (group std + epsilon).
///
/// @param returns  [G] undiscounted episode returns of G rollouts of one task; finite.
/// @param epsilon  added to the standard deviation; > 0; same unit as the returns.
/// @return         [G] dimensionless; sums to 0; all zero when the returns are equal.
/// @throws Error   kInvalidArgument if G < 2 or a return is not finite.
/// Note:           the standard deviation divides by G - 1, each episode counts once.
/// Source:         GRPO (arXiv 2402.03300) Eq. 3; DreamGym (arXiv 2511.03773) section 4.3.
std::vector<double> group_advantages(std::span<const double> returns, double epsilon = 1e-6);

/// Dr.GRPO: return - group mean, not divided by the spread, so that tasks of low variance weigh no
/// more than others.
///
/// @param returns  [G] as above.
/// @return         [G] in the unit of the returns; sums to 0.
/// @throws Error   as above.
/// Source:         Dr.GRPO (arXiv 2503.20783).
std::vector<double> centred_advantages(std::span<const double> returns);

/// RLOO: return - mean of the others = G / (G - 1) (return - group mean); an unbiased baseline.
///
/// @param returns  [G] as above.
/// @return         [G] in the unit of the returns; sums to 0.
/// @throws Error   as above.
/// Source:         RLOO (arXiv 2402.14740).
std::vector<double> leave_one_out_advantages(std::span<const double> returns);

}  // namespace dreamgym
