#include "dreamgym/llm/endpoint/circuit_breaker.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {

CircuitBreaker::CircuitBreaker(std::size_t failures, Time pause)
    : failures_(failures), pause_(pause) {
  check(failures >= 1, "a breaker opens after at least one failure");
}

bool CircuitBreaker::allows(Time now) const { return now >= open_until_ && !(open_ && on_trial_); }

void CircuitBreaker::begin(Time now) {
  check(allows(now), "the breaker allows the call");
  on_trial_ = open_;
}

void CircuitBreaker::succeed() {
  failures_in_a_row_ = 0;
  open_ = false;
  on_trial_ = false;
}

void CircuitBreaker::fail(Time now) {
  ++failures_in_a_row_;
  const bool failed_trial = open_ && on_trial_;
  on_trial_ = false;
  if (failed_trial || (!open_ && failures_in_a_row_ >= failures_)) {
    open_ = true;
    ++num_openings_;
    pause_until(now + pause_);
  }
}

void CircuitBreaker::pause_until(Time moment) { open_until_ = std::max(open_until_, moment); }

}  // namespace dreamgym
