// When to ask again. Pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "dreamgym/base/rng.h"

namespace dreamgym {

/// Exponential back-off with full jitter: uniform in [0, min(largest, first * 2^(attempt - 1))).
/// @param attempt  number of failed attempts so far, >= 1.
std::chrono::nanoseconds backoff(std::chrono::nanoseconds first,
                                 std::chrono::nanoseconds largest,
                                 std::size_t attempt,
                                 Rng& rng);

/// The header Retry-After: seconds, or a date of HTTP, which counts from `now`. Never negative.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::chrono::sys_seconds now);

/// Whether a status means that the same request may succeed later: 408, 425, 429 and 5xx but 501 and 505.
bool is_retryable_status(long status);

}  // namespace dreamgym
