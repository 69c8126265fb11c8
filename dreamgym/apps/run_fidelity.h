// Fidelity of a run's experience model, by the measures of docs/metrics.md.
#pragma once

#include <map>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/eval/experience_fidelity.h"

namespace dreamgym {

/// The measures by name.
std::map<std::string, double> fidelity_measures(const ExperienceFidelity& fidelity);

/// Measures the model of a run folder on held-out logs, and free running where its world has an engine.
/// @param logs  canonical JSONL; "" = the run's own held-out episodes.
std::map<std::string, double> measure_run(const Path& run_folder,
                                          const std::string& logs,
                                          std::size_t episodes,
                                          std::size_t threads);

}  // namespace dreamgym
