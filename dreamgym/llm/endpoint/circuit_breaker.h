// Leaves an endpoint alone that keeps failing, and tries it again after a while.
//
// Closed: calls go through. After `failures` in a row it opens: none do for `pause`. Then one trial goes
// through (half open): its success closes the breaker, its failure opens it again.
// Time is passed in. Thread safety: none; the owner locks.
#pragma once

#include <chrono>
#include <cstddef>

namespace dreamgym {

class CircuitBreaker {
 public:
  using Time = std::chrono::nanoseconds;  ///< of a Clock

  /// @param failures  in a row until it opens, >= 1.
  CircuitBreaker(std::size_t failures, Time pause);

  /// Whether a call may go through now.
  [[nodiscard]] bool allows(Time now) const;
  /// When a call may go through at the earliest, if nothing else happens.
  [[nodiscard]] Time allowed_from() const { return open_until_; }
  /// A call that was allowed begins.
  void begin(Time now);
  void succeed();
  void fail(Time now);
  /// Nobody may call before this moment, e.g. by the server's own word (Retry-After).
  void pause_until(Time moment);

  [[nodiscard]] std::size_t failures_in_a_row() const { return failures_in_a_row_; }
  [[nodiscard]] std::size_t num_openings() const { return num_openings_; }

 private:
  std::size_t failures_;
  Time pause_;
  std::size_t failures_in_a_row_ = 0;
  std::size_t num_openings_ = 0;
  bool open_ = false;
  bool on_trial_ = false;
  Time open_until_{0};
};

}  // namespace dreamgym
