#include "dreamgym/experience/training_data.h"

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/experience/query_context.h"
#include "dreamgym/experience/retrieval.h"

namespace dreamgym {
namespace {

// Tokens of one step's own part, with and without loss.
TokenRun step_run(const ExperiencePrompt& prompt,
                  const Transition& step,
                  bool with_loss,
                  float action_weight,
                  bool reasoning) {
  TokenRun run;
  const auto query = prompt.query(step.action);
  run.append(std::span<const TokenId>(query).first(1), LossPart::kNone, 0.0F);
  run.append(std::span<const TokenId>(query).subspan(1),
             action_weight > 0 ? LossPart::kAction : LossPart::kNone,
             action_weight);
  const float weight = with_loss ? 1.0F : 0.0F;
  run.append(prompt.trace(reasoning ? step.reasoning_trace : ""),
             with_loss ? LossPart::kTrace : LossPart::kNone,
             weight);
  run.append(prompt.outcome(step.next_observation.text, end_flag(step)),
             with_loss ? LossPart::kState : LossPart::kNone,
             weight);
  return run;
}

void append(TokenRun& out, const TokenRun& run) {
  out.tokens.insert(out.tokens.end(), run.tokens.begin(), run.tokens.end());
  out.weights.insert(out.weights.end(), run.weights.begin(), run.weights.end());
  out.parts.insert(out.parts.end(), run.parts.begin(), run.parts.end());
}

std::vector<std::vector<Demonstration>> retrieve(const Trajectory& trajectory,
                                                 const ReplayBuffer& buffer,
                                                 const ExperienceDataOptions& options) {
  std::vector<ReplayQuery> queries;
  for (const Transition& step : trajectory.steps) {
    queries.push_back({step.observation.text,
                       step.action,
                       trajectory.task.world,
                       trajectory.episode_id,
                       trajectory.steps.front().observation.text});
  }
  std::vector<std::vector<Demonstration>> shown;
  for (const auto& hits :
       buffer.search(queries,
                     search_options(options.num_demonstrations,
                                    {.most_dreamed = 0, .diversity = options.diversity}))) {
    shown.push_back(to_demonstrations(hits));
  }
  return shown;
}

}  // namespace

EndFlag end_flag(const Transition& step) {
  if (!step.terminated) {
    return EndFlag::kContinue;
  }
  return step.reward >= 1.0 ? EndFlag::kSuccess : EndFlag::kFailure;
}

std::vector<TokenId> history_tokens(const ExperiencePrompt& prompt,
                                    const Trajectory& trajectory,
                                    std::size_t t,
                                    std::size_t history_steps,
                                    bool reasoning) {
  const std::size_t first = t - std::min(t, history_steps);
  std::vector<TokenId> tokens =
      prompt.begin(trajectory.task.instruction, trajectory.steps[first].observation.text);
  for (std::size_t i = first; i < t; ++i) {
    const TokenRun run = step_run(prompt, trajectory.steps[i], false, 0.0F, reasoning);
    tokens.insert(tokens.end(), run.tokens.begin(), run.tokens.end());
  }
  return tokens;
}

std::size_t usual_history(const ExperiencePrompt& prompt,
                          std::span<const Trajectory> trajectories,
                          const ExperienceDataOptions& options) {
  std::vector<std::size_t> lengths;
  for (const Trajectory& trajectory : trajectories) {
    std::size_t length = trajectory.steps.empty()
                             ? 0
                             : history_tokens(prompt, trajectory, 0, options.history_steps, options.reasoning).size();
    for (std::size_t t = 0; t < std::min(trajectory.steps.size(), options.history_steps); ++t) {
      lengths.push_back(std::min(length, options.max_tokens));
      length += step_run(prompt, trajectory.steps[t], false, 0.0F, options.reasoning).size();
    }
  }
  if (lengths.empty()) {
    return options.max_tokens;
  }
  const auto nine_in_ten = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * 9 / 10);
  std::ranges::nth_element(lengths, nine_in_ten);
  return std::max<std::size_t>(*nine_in_ten, 64);
}

std::vector<PastStep> past_steps(const Trajectory& trajectory, std::size_t t, std::size_t history_steps) {
  std::vector<PastStep> past;
  for (std::size_t i = t - std::min(t, history_steps); i < t; ++i) {
    const Transition& step = trajectory.steps[i];
    past.push_back({step.action, step.reasoning_trace, step.next_observation.text});
  }
  return past;
}

TrainingSequence windowed_step_sequence(const ExperiencePrompt& prompt,
                                        const Trajectory& trajectory,
                                        std::size_t t,
                                        std::span<const Demonstration> demonstrations,
                                        bool retrieved,
                                        const ExperienceDataOptions& options) {
  TrainingSequence sequence;
  sequence.trunk.append(
      history_tokens(prompt, trajectory, t, options.history_steps, options.reasoning), LossPart::kNone, 0.0F);
  const Transition& step = trajectory.steps[t];
  if (retrieved) {
    sequence.trunk.append(
        query_context(prompt,
                      demonstrations,
                      past_steps(trajectory, t, options.history_steps),
                      trajectory.task.instruction,
                      step.action,
                      {.num_recollections = options.num_recollections, .remind = options.remind}),
        LossPart::kNone,
        0.0F);
  }
  const float action_weight = retrieved ? 0.0F : static_cast<float>(options.action_weight);
  append(sequence.trunk, step_run(prompt, step, true, action_weight, options.reasoning));
  return sequence;
}

TrainingSequence experience_sequence(const ExperiencePrompt& prompt,
                                     const Trajectory& trajectory,
                                     std::span<const std::vector<Demonstration>> demonstrations,
                                     const ExperienceDataOptions& options) {
  TrainingSequence sequence;
  if (trajectory.steps.empty()) {
    return sequence;
  }
  const bool retrieved = !demonstrations.empty();
  std::vector<PastStep> past;
  const auto action_weight = static_cast<float>(options.action_weight);
  sequence.trunk.append(
      prompt.begin(trajectory.task.instruction, trajectory.steps.front().observation.text),
      LossPart::kNone,
      0.0F);
  for (std::size_t t = 0; t < trajectory.steps.size(); ++t) {
    const Transition& step = trajectory.steps[t];
    const TokenRun run = step_run(prompt, step, !retrieved, action_weight, options.reasoning);
    std::vector<TokenId> shown;
    if (retrieved) {
      shown = query_context(
          prompt,
          t < demonstrations.size() ? demonstrations[t] : std::vector<Demonstration>{},
          past,
          trajectory.task.instruction,
          step.action,
          {.num_recollections = options.num_recollections, .remind = options.remind});
      past.push_back({step.action, step.reasoning_trace, step.next_observation.text});
    }
    if ((options.reasoning && step.reasoning_trace.empty()) ||
        sequence.trunk.size() + shown.size() + run.size() > options.max_tokens) {
      break;
    }
    if (retrieved) {
      TrainingSequence::Branch branch;
      branch.trunk_end = sequence.trunk.size();
      branch.run.append(shown, LossPart::kNone, 0.0F);
      append(branch.run, step_run(prompt, step, true, 0.0F, options.reasoning));
      sequence.branches.push_back(std::move(branch));
    }
    append(sequence.trunk, run);
  }
  return sequence;
}

std::vector<TrainingSequence> experience_sequences(const ExperiencePrompt& prompt,
                                                   const std::vector<Trajectory>& trajectories,
                                                   const ReplayBuffer* buffer,
                                                   const ExperienceDataOptions& options,
                                                   const Rng& rng) {
  check(buffer != nullptr || options.demonstration_share <= 0 || options.num_demonstrations == 0,
        "retrieval needs a replay buffer");
  std::vector<TrainingSequence> sequences;
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    std::vector<std::vector<Demonstration>> demonstrations;
    if (rng.fork("retrieval", i).uniform() < options.demonstration_share) {
      demonstrations = options.num_demonstrations > 0
                           ? retrieve(trajectories[i], *buffer, options)
                           : std::vector<std::vector<Demonstration>>(trajectories[i].steps.size());
    }
    if (options.history_steps >= kWholeHistory) {
      sequences.push_back(experience_sequence(prompt, trajectories[i], demonstrations, options));
      continue;
    }
    for (std::size_t t = 0; t < trajectories[i].steps.size(); ++t) {
      if (options.reasoning && trajectories[i].steps[t].reasoning_trace.empty()) {
        break;
      }
      const bool retrieved = !demonstrations.empty();
      auto sequence = windowed_step_sequence(prompt,
                                             trajectories[i],
                                             t,
                                             retrieved ? demonstrations[t] : std::vector<Demonstration>(),
                                             retrieved,
                                             options);
      if (sequence.trunk.size() <= options.max_tokens) {
        sequences.push_back(std::move(sequence));
      }
    }
  }
  return sequences;
}

}  // namespace dreamgym
