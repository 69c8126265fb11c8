#include "dreamgym/base/clock.h"

#include "dreamgym/base/error.h"

namespace dreamgym {

double seconds_since(const Clock& clock, std::chrono::nanoseconds start) {
  return std::chrono::duration<double>(clock.now() - start).count();
}

std::chrono::nanoseconds SteadyClock::now() const {
  return std::chrono::steady_clock::now().time_since_epoch();
}

void ManualClock::advance(std::chrono::nanoseconds duration) {
  check(duration.count() >= 0, "a clock never goes back");
  now_ += duration;
}

}  // namespace dreamgym
