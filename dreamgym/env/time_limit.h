// A limit on the number of steps of an episode.
#pragma once

#include <cstddef>
#include <memory>

#include "dreamgym/env/environment.h"

namespace dreamgym {

/// The inner environment, cut (truncated) after max_steps unless it ends by itself.
/// Thread safety: none.
class TimeLimit final : public Environment {
 public:
  /// @param max_steps  at least 1. @throws Error kInvalidArgument otherwise.
  TimeLimit(std::unique_ptr<Environment> inner, std::size_t max_steps);
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

 private:
  std::unique_ptr<Environment> inner_;
  std::size_t max_steps_;
  std::size_t steps_left_ = 0;  ///< 0 before reset() and once cut
};

}  // namespace dreamgym
