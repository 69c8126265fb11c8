// Intervals for success rates and for differences between policies.
//
// Pure functions. Thread safety: reentrant.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace dreamgym {

/// An estimate with its 95% interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Success rate with Wilson's 95% score interval; {0, 0, 1} for no trials.
Estimate wilson_interval(std::size_t successes, std::size_t trials);

/// Mean of a - b over pairs (the same task played by two policies) with a normal 95% interval.
/// @param a, b  [n] outcomes, 0 or 1 or any score; equal lengths, n >= 2.
/// @throws Error kInvalidArgument otherwise.
Estimate paired_difference(std::span<const double> a, std::span<const double> b);

/// Two-sided exact sign test of paired outcomes: how likely a split of the unequal pairs at least as
/// uneven is if neither is better (for 0 and 1: McNemar's exact test). 1 where no pair differs.
/// @param a, b  [n], equal lengths. @throws Error kInvalidArgument otherwise.
double paired_sign_test(std::span<const double> a, std::span<const double> b);

/// a - b of two independent rates (other episodes, other tasks) with a 95% interval made of theirs.
/// Source: Newcombe 1998, method 10 (hybrid score), for Wilson's intervals.
Estimate independent_difference(const Estimate& a, const Estimate& b);

/// Mean over independent seeds with Student's 95% interval.
/// @param values  [n], n >= 2. @throws Error kInvalidArgument otherwise.
Estimate mean_over_seeds(std::span<const double> values);

/// Pearson's correlation of two series with Fisher's 95% interval.
/// @param a, b  [n], equal lengths, n >= 4. @throws Error kInvalidArgument otherwise.
/// @return      nothing if one of them is constant.
std::optional<Estimate> correlation(std::span<const double> a, std::span<const double> b);

}  // namespace dreamgym
