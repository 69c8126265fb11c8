#include "dreamgym/experience/fallback_dream.h"

#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {

FallbackDream::FallbackDream(StepwiseDream& first,
                             StepwiseDream& second,
                             std::string name,
                             FallbackOptions options)
    : first_(first), second_(second), name_(std::move(name)), options_(options) {}

void FallbackDream::end_all() {
  second_.end_all();
  first_.end_all();
}

std::vector<Observation> FallbackDream::start(std::span<const std::size_t> slots,
                                              std::span<const Task> tasks,
                                              std::span<const std::uint64_t> seeds) {
  (void)second_.start(slots, tasks, seeds);
  return first_.start(slots, tasks, seeds);
}

bool FallbackDream::is_unsure(const StepResult& result) const {
  if (!result.confidence || *result.confidence >= options_.below) {
    return false;
  }
  const auto trace = parse_reasoning_trace(result.reasoning_trace);
  const bool hidden = trace && trace->find("effect") == effects::kNew;
  return options_.ask_about_hidden || !hidden;
}

void FallbackDream::put(StepResult answer, StepResult& result) {
  const bool no_answer = answer.info.contains(dream_info::kNoAnswer) ||
                         answer.info.contains(transition_info::kInfrastructureError);
  if (no_answer) {
    ++counters_.unanswered;
    return;
  }
  if (options_.most_confident && answer.confidence.value_or(0) <= *result.confidence) {
    return;
  }
  ++counters_.overruled;
  counters_.changed +=
      answer.observation.text != result.observation.text || answer.reward != result.reward ? 1 : 0;
  answer.info[dream_info::kFallback] = fmt::format("{} (confidence was {:.3f})", name_, *result.confidence);
  result = std::move(answer);
}

std::vector<StepResult> FallbackDream::propose(std::span<const std::size_t> slots,
                                               std::span<const Action> actions) {
  std::vector<StepResult> results = first_.propose(slots, actions);
  std::vector<std::size_t> unsure;  // positions
  std::vector<std::size_t> asked_slots;
  std::vector<Action> asked_actions;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ++counters_.steps;
    if (!is_unsure(results[i])) {
      continue;
    }
    ++counters_.unsure;
    if (counters_.asked < options_.budget) {
      ++counters_.asked;
      unsure.push_back(i);
      asked_slots.push_back(slots[i]);
      asked_actions.push_back(actions[i]);
    }
  }
  if (unsure.empty()) {
    return results;
  }
  std::vector<StepResult> answers = second_.propose(asked_slots, asked_actions);
  check(answers.size() == unsure.size(), "one answer a question");
  for (std::size_t j = 0; j < unsure.size(); ++j) {
    put(std::move(answers[j]), results[unsure[j]]);
  }
  return results;
}

void FallbackDream::commit(std::span<const std::size_t> slots,
                           std::span<const Action> actions,
                           std::span<const StepResult> results) {
  first_.commit(slots, actions, results);
  second_.commit(slots, actions, results);
}

}  // namespace dreamgym
