// Fidelity of a run's experience model, by the measures of docs/metrics.md.
#pragma once

#include <map>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/eval/experience_fidelity.h"
#include "dreamgym/eval/performance_bound.h"

namespace dreamgym {

/// The measures by name; a share of no steps at all is left out.
std::map<std::string, double> fidelity_measures(const ExperienceFidelity& fidelity);

/// Theorem 1's two errors of the model, as means over the held-out steps; everything else as it is by
/// default. @param measures  of fidelity_measures().
BoundInputs bound_errors(const std::map<std::string, double>& measures);

struct MeasureRequest {
  std::string logs;              ///< canonical JSONL; "" = the run's own held-out episodes
  std::size_t episodes = 200;
  std::size_t threads = 2;
  std::size_t draws = 0;         ///< first looks dreamed, to hold what is invented against what really is there
  std::size_t long_steps = 0;    ///< of episodes somebody wanders through, to count contradictions
};

/// Measures the dream of a run folder on held-out logs, and free running where its world has an engine.
std::map<std::string, double> measure_run(const Path& run_folder, const MeasureRequest& request);

}  // namespace dreamgym
