// The measures of experience_fidelity.h for any dream that can be asked for one step at a time.
//
// Every step of a held-out real episode is asked about (StepwiseDream::propose) and then what really happened is
// committed: one step, true history. What nobody answered is left out and counted.
// Deviation: measure_fidelity() asks a model without the dream's own rules (asking again, sampling where the trace
// says "new"); this measures the dream as it is played in, and knows no similarity of what was retrieved.
#pragma once

#include <cstddef>
#include <span>

#include "dreamgym/env/action_mapper.h"
#include "dreamgym/eval/experience_fidelity.h"
#include "dreamgym/experience/stepwise_dream.h"

namespace dreamgym {

struct StepwiseFidelity {
  ExperienceFidelity fidelity;
  std::size_t unanswered = 0;  ///< steps without an answer, for reasons of infrastructure
};

/// @param held_out  explained trajectories. @param mappers  for the admissible sets; null = not measured.
StepwiseFidelity measure_stepwise_fidelity(StepwiseDream& dream,
                                           std::span<const Trajectory> held_out,
                                           const ActionMapperFactory* mappers);

}  // namespace dreamgym
