#include "dreamgym/agent/turn_prompt.h"

namespace dreamgym {

TrainingSequence TurnPrompt::demonstration(const Trajectory& trajectory,
                                           std::size_t max_tokens,
                                           double weight) const {
  TrainingSequence sequence;
  if (trajectory.steps.empty()) {
    return sequence;
  }
  sequence.trunk.append(
      begin(trajectory.task.instruction, trajectory.steps.front().observation.text),
      LossPart::kNone,
      0.0F);
  for (const Transition& step : trajectory.steps) {
    const std::vector<TokenId> turn = action(step.action);
    const std::vector<TokenId> reply =
        observation(step.next_observation.text, trajectory.task.instruction);
    if (sequence.trunk.size() + turn.size() + reply.size() > max_tokens) {
      break;
    }
    sequence.trunk.append(turn, LossPart::kAction, static_cast<float>(weight));
    sequence.trunk.append(reply, LossPart::kNone, 0.0F);
  }
  return sequence;
}

}  // namespace dreamgym
