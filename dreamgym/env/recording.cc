#include "dreamgym/env/recording.h"

#include "dreamgym/base/error.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym {

Recording::Recording(std::unique_ptr<Environment> inner, Trajectory episode)
    : inner_(std::move(inner)), blank_(std::move(episode)) {
  check(inner_ != nullptr, "a recording has an environment");
  blank_.steps.clear();
  trajectory_ = blank_;
  settle_outcome(trajectory_);
}

Observation Recording::reset(const Task& task, std::uint64_t seed) {
  current_ = inner_->reset(task, seed);
  trajectory_ = blank_;
  trajectory_.task = task;
  trajectory_.seed = seed;
  settle_outcome(trajectory_);
  return current_;
}

StepResult Recording::step(const Action& action) {
  StepResult result = inner_->step(action);
  trajectory_.steps.push_back(to_transition(std::move(current_), action, result));
  current_ = result.observation;
  settle_outcome(trajectory_);
  return result;
}

Transition to_transition(Observation before, Action action, const StepResult& result) {
  return {.observation = std::move(before),
          .action = std::move(action),
          .action_valid = result.action_valid,
          .reward = result.reward,
          .next_observation = result.observation,
          .terminated = result.terminated,
          .truncated = result.truncated,
          .reasoning_trace = result.reasoning_trace,
          .demonstrations = result.demonstrations,
          .confidence = result.confidence,
          .info = result.info};
}

}  // namespace dreamgym
