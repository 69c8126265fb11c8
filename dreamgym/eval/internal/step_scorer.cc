#include "dreamgym/eval/internal/step_scorer.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/training_data.h"

namespace dreamgym::eval_internal {
namespace {

constexpr std::size_t kShownMisses = 8;

}  // namespace

void StepScorer::score(const Trajectory& story,
                       std::size_t t,
                       const std::optional<DreamedStep>& predicted,
                       StepPrediction& prediction) {
  const Transition& truth = story.steps[t];
  const auto true_trace = parse_reasoning_trace(truth.reasoning_trace);
  const bool hidden = true_trace && true_trace->find("effect") == effects::kNew;
  const bool revisit = true_trace && true_trace->find("effect") == effects::kAgain;
  prediction.hidden = hidden;
  StepAccuracy& kind = hidden ? out_.hidden : out_.predictable;
  ++kind.steps;
  out_.revisited.steps += revisit ? 1 : 0;
  const EndFlag true_flag = end_flag(truth);
  out_.true_successes += true_flag == EndFlag::kSuccess ? 1 : 0;
  if (!predicted) {
    ++out_.unparsable;
    out_.missed_successes += true_flag == EndFlag::kSuccess ? 1 : 0;
    return;
  }
  const EndFlag flag = predicted->flag;
  const bool same = predicted->observation == truth.next_observation.text;
  prediction.exact = same;
  prediction.reward_correct = (flag == EndFlag::kSuccess) == (true_flag == EndFlag::kSuccess);
  kind.observation_exact += same ? 1 : 0;
  out_.revisited.observation_exact += same && revisit ? 1 : 0;
  kind.trace_exact += predicted->reasoning_trace == truth.reasoning_trace ? 1 : 0;
  kind.admissible_exact +=
      same || (mappers_ != nullptr && same_candidates(story, t, predicted->observation)) ? 1 : 0;
  out_.end_correct += (flag == EndFlag::kContinue) == (true_flag == EndFlag::kContinue) ? 1 : 0;
  out_.reward_correct += prediction.reward_correct ? 1 : 0;
  out_.missed_successes += true_flag == EndFlag::kSuccess && flag != EndFlag::kSuccess ? 1 : 0;
  out_.false_successes += true_flag != EndFlag::kSuccess && flag == EndFlag::kSuccess ? 1 : 0;
  if (!same && !hidden && out_.misses.size() < kShownMisses) {
    out_.misses.push_back(fmt::format(
        "{} | expected: {} | got: {}", truth.action, truth.next_observation.text, predicted->observation));
  }
}

bool StepScorer::same_candidates(const Trajectory& story, std::size_t t, const std::string& predicted) const {
  const auto follow = [&](const std::string& last) {
    const auto mapper = mappers_->create();
    mapper->reset(story.task.instruction, story.steps.front().observation.text);
    for (std::size_t i = 0; i < t; ++i) {
      mapper->observe(story.steps[i].action, story.steps[i].next_observation.text);
    }
    mapper->observe(story.steps[t].action, last);
    auto candidates = mapper->candidates();
    std::sort(candidates.begin(), candidates.end());
    return candidates;
  };
  return follow(predicted) == follow(story.steps[t].next_observation.text);
}

}  // namespace dreamgym::eval_internal
