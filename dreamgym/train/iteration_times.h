// Where the time of a training iteration goes.
//
// Thread safety: a value and pure functions.
#pragma once

#include <map>
#include <string>

namespace dreamgym {

/// Seconds.
struct IterationTimes {
  double generation = 0;   ///< in the models of policy and dream
  double environment = 0;  ///< the rest of what environments did
  double retrieval = 0;    ///< of a dream
  double update = 0;       ///< log-probabilities, values, gradients, optimisers
  double validation = 0;   ///< beside the iteration
  double wall = 0;         ///< of the iteration, validation left out

  /// Of the wall time: prompts, bookkeeping, logs and checkpoints; 0 where things overlap.
  [[nodiscard]] double rest() const;
  /// Share of the wall time that was neither generation nor update, in [0, 1].
  [[nodiscard]] double overhead_share() const;

  IterationTimes& operator+=(const IterationTimes& other);
};

/// In the names of docs/metrics.md.
std::map<std::string, double> metrics_of(const IterationTimes& times);

}  // namespace dreamgym
