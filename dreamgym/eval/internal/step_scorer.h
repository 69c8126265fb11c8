// One predicted step held against what really happened.
#pragma once

#include <optional>

#include "dreamgym/data/types.h"
#include "dreamgym/env/action_mapper.h"
#include "dreamgym/eval/experience_fidelity.h"
#include "dreamgym/experience/experience_prompt.h"

namespace dreamgym::eval_internal {

/// Thread safety: none.
class StepScorer {
 public:
  /// @param mappers  for the admissible sets; null = not measured.
  StepScorer(const ActionMapperFactory* mappers, ExperienceFidelity& out) : mappers_(mappers), out_(out) {}

  /// @param predicted   nothing for a reply that could not be read; its flag is the one that counts.
  /// @param prediction  of story.steps[t]; gets whether the step is hidden, exact and rightly rewarded.
  void score(const Trajectory& story,
             std::size_t t,
             const std::optional<DreamedStep>& predicted,
             StepPrediction& prediction);

 private:
  [[nodiscard]] bool same_candidates(const Trajectory& story, std::size_t t, const std::string& predicted) const;

  const ActionMapperFactory* mappers_;
  ExperienceFidelity& out_;
};

}  // namespace dreamgym::eval_internal
