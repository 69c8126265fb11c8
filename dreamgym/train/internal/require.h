// What a batch must be before numbers are computed from it.
//
// Thread safety: reentrant.
#pragma once

#include <span>
#include <string_view>

namespace dreamgym::internal {

/// @param what  names the numbers in the message, e.g. "episode returns".
/// @throws Error kInvalidArgument naming the first value that is not finite and its place.
void require_finite(std::span<const double> values, std::string_view what);

/// @throws Error kInvalidArgument unless lowest <= value <= highest.
void require_between(double value, double lowest, double highest, std::string_view what);

}  // namespace dreamgym::internal
