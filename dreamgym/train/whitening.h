// Whitening: numbers of a whole batch brought to mean 0 and variance 1.
//
// Thread safety: reentrant.
#pragma once

#include <vector>

namespace dreamgym {

/// (x - mean) / sqrt(variance + 1e-8) over the batch's tokens the policy chose.
///
/// @param values  [N][T_n] one row a sequence; finite where the mask is true.
/// @param mask    [N][T_n] completion mask: true where the policy chose the token.
/// @return        [N][T_n]; 0 where the mask is false. Mean 0, variance (by n - 1) just below 1.
/// @throws Error  kInvalidArgument if fewer than 2 tokens are chosen in all.
/// Source:        verl masked_whiten.
std::vector<std::vector<double>> whitened(const std::vector<std::vector<double>>& values,
                                          const std::vector<std::vector<bool>>& mask);

}  // namespace dreamgym
