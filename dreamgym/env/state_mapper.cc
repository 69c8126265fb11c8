#include "dreamgym/env/state_mapper.h"

namespace dreamgym {

void map_trajectory(StateMapper& mapper, Trajectory& trajectory) {
  if (trajectory.steps.empty()) {
    return;
  }
  std::string state =
      mapper.reset(trajectory.task.instruction, trajectory.steps.front().observation.text);
  for (Transition& step : trajectory.steps) {
    const Action action = mapper.from_world(step.action);
    std::string next = mapper.observe(step.action, step.action_valid, step.next_observation.text);
    step.action = action;
    step.observation = {state, {}};
    step.next_observation = {next, {}};
    state = std::move(next);
  }
}

}  // namespace dreamgym
