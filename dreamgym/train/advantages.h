// Advantage estimators: how much better a choice was than expected.
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
/// @throws Error   kInvalidArgument if G < 2.
/// Note:           the standard deviation divides by G - 1, each episode counts once.
/// Source:         GRPO (arXiv 2402.03300) Eq. 3; DreamGym (arXiv 2511.03773) section 4.3.
std::vector<double> group_advantages(std::span<const double> returns, double epsilon = 1e-6);

}  // namespace dreamgym
