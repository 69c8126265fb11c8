#include "dreamgym/agent/turn_prompt.h"

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

void append(std::vector<TokenId>& out, const std::vector<TokenId>& ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

std::string TurnPrompt::shown(const Observation& observation) const {
  if (!names_actions() || observation.admissible.empty()) {
    return observation.text;
  }
  return observation.text + "\nAdmissible actions: " + join(observation.admissible, "; ");
}

TrainingSequence TurnPrompt::demonstration(const Trajectory& trajectory,
                                           std::size_t max_tokens,
                                           double weight) const {
  TrainingSequence sequence;
  if (trajectory.steps.empty()) {
    return sequence;
  }
  sequence.trunk.append(
      begin(trajectory.task.instruction, shown(trajectory.steps.front().observation)),
      LossPart::kNone,
      0.0F);
  for (const Transition& step : trajectory.steps) {
    const std::vector<TokenId> turn = action(step.action);
    const std::vector<TokenId> reply =
        observation(shown(step.next_observation), trajectory.task.instruction);
    if (sequence.trunk.size() + turn.size() + reply.size() > max_tokens) {
      break;
    }
    sequence.trunk.append(turn, LossPart::kAction, static_cast<float>(weight));
    sequence.trunk.append(reply, LossPart::kNone, 0.0F);
  }
  return sequence;
}

std::vector<TrainingSequence> TurnPrompt::demonstrations(std::span<const Trajectory> trajectories,
                                                          std::size_t max_tokens,
                                                          std::size_t history_steps) const {
  std::vector<TrainingSequence> out;
  for (const Trajectory& trajectory : trajectories) {
    if (history_steps >= kWholeEpisode) {
      out.push_back(demonstration(trajectory, max_tokens));
    } else {
      add_windows(trajectory, max_tokens, history_steps, out);
    }
  }
  return out;
}

void TurnPrompt::add_windows(const Trajectory& trajectory,
                             std::size_t max_tokens,
                             std::size_t history_steps,
                             std::vector<TrainingSequence>& out) const {
  std::vector<PastTurn> past;
  for (const Transition& step : trajectory.steps) {
    const std::vector<TokenId> context =
        window(trajectory.task.instruction, past, shown(step.observation));
    const std::vector<TokenId> turn = action(step.action);
    if (context.size() + turn.size() <= max_tokens) {
      TrainingSequence& sequence = out.emplace_back();
      sequence.trunk.append(context, LossPart::kNone, 0.0F);
      sequence.trunk.append(turn, LossPart::kAction, 1.0F);
    }
    past.push_back({shown(step.observation), turn});
    if (past.size() > history_steps) {
      past.erase(past.begin());
    }
  }
}

std::vector<TokenId> TurnPrompt::window(std::string_view instruction,
                                        std::span<const PastTurn> past,
                                        std::string_view observation_text) const {
  const auto seen = [&](std::size_t turn) {
    return turn < past.size() ? std::string_view(past[turn].observation) : observation_text;
  };
  std::vector<TokenId> out = begin(instruction, seen(0));
  for (std::size_t turn = 0; turn < past.size(); ++turn) {
    append(out, past[turn].action);
    append(out, observation(seen(turn + 1), instruction));
  }
  return out;
}

}  // namespace dreamgym
