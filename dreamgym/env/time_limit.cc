#include "dreamgym/env/time_limit.h"

#include "dreamgym/base/error.h"

namespace dreamgym {

TimeLimit::TimeLimit(std::unique_ptr<Environment> inner, std::size_t max_steps)
    : inner_(std::move(inner)), max_steps_(max_steps) {
  check(inner_ != nullptr, "a time limit has an environment");
  if (max_steps == 0) {
    throw Error(ErrorKind::kInvalidArgument, "max_steps: expected at least 1, got 0");
  }
}

Observation TimeLimit::reset(const Task& task, std::uint64_t seed) {
  steps_left_ = 0;
  Observation observation = inner_->reset(task, seed);
  steps_left_ = max_steps_;
  return observation;
}

StepResult TimeLimit::step(const Action& action) {
  check(steps_left_ > 0, "step() comes after reset() and before the episode's end");
  StepResult result = inner_->step(action);
  --steps_left_;
  if (result.terminated || result.truncated) {
    steps_left_ = 0;
  } else if (steps_left_ == 0) {
    result.truncated = true;
  }
  return result;
}

}  // namespace dreamgym
