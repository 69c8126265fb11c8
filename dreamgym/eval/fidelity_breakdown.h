// Where an experience model is right: by step, by how similar the retrieved transition was, by whether its place is
// known, by its own confidence.
//
// Pure functions. Thread safety: reentrant.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "dreamgym/eval/experience_fidelity.h"

namespace dreamgym {

/// Measures by name (docs/metrics.md). Shares are of steps whose answer the episode's past determines; a share
/// without steps is left out.
/// @param is_seen  whether a held-out trajectory (by its number) plays in a place the model was trained on; may be
///                 empty: then that split is left out.
std::map<std::string, double> fidelity_breakdown(std::span<const StepPrediction> predictions,
                                                 const std::function<bool(std::size_t episode)>& is_seen);

/// Share of equal observations by step when dreamed episodes are replayed in reality: how the dream drifts.
std::map<std::string, double> drift_breakdown(const DreamToReal& replayed);

}  // namespace dreamgym
