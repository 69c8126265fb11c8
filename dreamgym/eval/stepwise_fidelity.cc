#include "dreamgym/eval/stepwise_fidelity.h"

#include "dreamgym/eval/internal/step_scorer.h"
#include "dreamgym/eval/internal/true_history.h"

namespace dreamgym {
namespace {

DreamedStep to_step(const StepResult& result) {
  const EndFlag flag = !result.terminated   ? EndFlag::kContinue
                       : result.reward >= 1 ? EndFlag::kSuccess
                                            : EndFlag::kFailure;
  return {result.reasoning_trace, result.observation.text, flag};
}

}  // namespace

StepwiseFidelity measure_stepwise_fidelity(StepwiseDream& dream,
                                           std::span<const Trajectory> held_out,
                                           const ActionMapperFactory* mappers) {
  StepwiseFidelity out;
  eval_internal::StepScorer scorer(mappers, out.fidelity);
  eval_internal::walk_true_history(
      dream,
      held_out,
      [&](std::size_t i) { return held_out[i].task.seed; },
      [&](std::size_t i, std::size_t t, const StepResult& proposed) {
        if (proposed.info.contains(transition_info::kInfrastructureError)) {
          ++out.unanswered;
          return;
        }
        StepPrediction prediction{.episode = i, .step = t};
        prediction.confidence = proposed.confidence.value_or(0);
        const bool readable = !proposed.info.contains("unparsable");
        scorer.score(held_out[i], t, readable ? std::optional(to_step(proposed)) : std::nullopt, prediction);
        out.fidelity.predictions.push_back(prediction);
      });
  return out;
}

}  // namespace dreamgym
