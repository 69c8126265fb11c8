// Keeps what an environment did, as a trajectory.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/env/environment.h"

namespace dreamgym {

/// The inner environment, with the episode so far at hand.
/// Thread safety: none.
class Recording final : public Environment {
 public:
  /// @param episode  episode_id, provenance, policy and simulator version of what is recorded; its
  ///                 task, seed and steps are filled in.
  explicit Recording(std::unique_ptr<Environment> inner, Trajectory episode = {});
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

  /// The episode since reset(): outcome and return as of its last step (cut until it has ended).
  [[nodiscard]] const Trajectory& trajectory() const { return trajectory_; }

 private:
  std::unique_ptr<Environment> inner_;
  Trajectory blank_;
  Trajectory trajectory_;
  Observation current_;
};

/// A step as it is stored.
Transition to_transition(Observation before, Action action, const StepResult& result);

}  // namespace dreamgym
