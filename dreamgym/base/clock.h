// Time as something passed in, so that tests decide what time it is and nothing depends on the wall
// clock by accident.
#pragma once

#include <chrono>

namespace dreamgym {

/// How long to wait for something that comes when it comes.
inline constexpr std::chrono::nanoseconds kUntilItComes = std::chrono::nanoseconds::max();

/// Time since some fixed but unspecified moment; never goes back.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0;
};

/// Seconds that have passed since `start`, an earlier now() of the same clock.
double seconds_since(const Clock& clock, std::chrono::nanoseconds start);

/// The machine's monotonic clock. Thread safety: reentrant.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const override;
};

/// Stands still until told. Thread safety: one thread at a time.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const override { return now_; }
  /// @param duration  >= 0.
  void advance(std::chrono::nanoseconds duration);

 private:
  std::chrono::nanoseconds now_{0};
};

}  // namespace dreamgym
