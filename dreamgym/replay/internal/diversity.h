// Maximal marginal relevance: similar to the query, unlike each other.
//
// Pure. Source: Carbonell and Goldstein 1998.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dreamgym::replay_internal {

/// Greedy: the next one maximises (1 - diversity) * similarity - diversity * largest similarity to the chosen.
/// @param similarities  [n] to the query, best first. @param vectors  [n] unit vectors of one length.
/// @return              at most k indices, in the order they were chosen; the first is 0.
std::vector<std::size_t> choose_diverse(std::span<const double> similarities,
                                        const std::vector<std::vector<float>>& vectors,
                                        std::size_t k,
                                        double diversity);

}  // namespace dreamgym::replay_internal
