#include "dreamgym/llm/endpoint/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

std::chrono::nanoseconds backoff(std::chrono::nanoseconds first,
                                 std::chrono::nanoseconds largest,
                                 std::size_t attempt,
                                 Rng& rng) {
  const double grown =
      static_cast<double>(first.count()) * std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(attempt, 60)) - 1);
  const double limit = std::min(grown, static_cast<double>(largest.count()));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(rng.uniform() * limit));
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::chrono::sys_seconds now) {
  const std::string_view text = trim(value);
  constexpr std::uint64_t kLongest = 86'400;
  if (const auto seconds = parse_unsigned(text)) {
    return std::chrono::seconds(static_cast<std::int64_t>(std::min(*seconds, kLongest)));
  }
  const std::time_t date = text.empty() ? -1 : curl_getdate(std::string(text).c_str(), nullptr);
  if (date < 0) {
    return std::nullopt;
  }
  const auto left = std::chrono::seconds(date) - now.time_since_epoch();
  return std::clamp(left, std::chrono::seconds(0), std::chrono::seconds(kLongest));
}

bool is_retryable_status(long status) {
  return status == 408 || status == 425 || status == 429 ||
         (status >= 500 && status <= 599 && status != 501 && status != 505);
}

}  // namespace dreamgym
