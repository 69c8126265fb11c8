#include "dreamgym/agent/agent_prompt.h"

#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/require_marker.h"

namespace dreamgym {
namespace {

void append(std::vector<TokenId>& out, const std::vector<TokenId>& ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

AgentPrompt::AgentPrompt(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)),
      agent_(require_marker(*tokenizer_, markers::kAgent)),
      task_(require_marker(*tokenizer_, markers::kTask)),
      state_(require_marker(*tokenizer_, markers::kState)),
      action_(require_marker(*tokenizer_, markers::kAction)),
      observation_(require_marker(*tokenizer_, markers::kObservation)) {}

std::vector<TokenId> AgentPrompt::begin(std::string_view instruction,
                                        std::string_view observation) const {
  std::vector<TokenId> out = {agent_, task_};
  append(out, tokenizer_->encode(instruction));
  out.push_back(state_);
  append(out, tokenizer_->encode(observation));
  out.push_back(action_);
  return out;
}

std::vector<TokenId> AgentPrompt::action(std::string_view action) const {
  std::vector<TokenId> out = tokenizer_->encode(action);
  out.push_back(observation_);
  return out;
}

std::vector<TokenId> AgentPrompt::observation(std::string_view observation,
                                              std::string_view instruction) const {
  std::vector<TokenId> out = tokenizer_->encode(observation);
  out.push_back(task_);
  append(out, tokenizer_->encode(instruction));
  out.push_back(action_);
  return out;
}

std::vector<TokenId> AgentPrompt::window(std::string_view instruction,
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

Action AgentPrompt::parse_action(std::span<const TokenId> sampled) const {
  if (!sampled.empty() && sampled.back() == observation_) {
    sampled = sampled.first(sampled.size() - 1);
  }
  return tokenizer_->decode(sampled);
}

TrainingSequence AgentPrompt::demonstration(const Trajectory& trajectory,
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

std::vector<TrainingSequence> AgentPrompt::demonstrations(std::span<const Trajectory> trajectories,
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

void AgentPrompt::add_windows(const Trajectory& trajectory,
                              std::size_t max_tokens,
                              std::size_t history_steps,
                              std::vector<TrainingSequence>& out) const {
  std::vector<PastTurn> past;
  for (const Transition& step : trajectory.steps) {
    const std::vector<TokenId> context =
        window(trajectory.task.instruction, past, step.observation.text);
    const std::vector<TokenId> turn = action(step.action);
    if (context.size() + turn.size() <= max_tokens) {
      TrainingSequence& sequence = out.emplace_back();
      sequence.trunk.append(context, LossPart::kNone, 0.0F);
      sequence.trunk.append(turn, LossPart::kAction, 1.0F);
    }
    past.push_back({step.observation.text, turn});
    if (past.size() > history_steps) {
      past.erase(past.begin());
    }
  }
}

}  // namespace dreamgym
