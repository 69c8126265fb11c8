// How varied experience is: the failure the paper saw without a curriculum is a buffer that fills with
// low-entropy repetitions.
//
// Pure functions. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>

#include "dreamgym/data/types.h"

namespace dreamgym {

struct ExperienceVariety {
  std::size_t transitions = 0;
  std::size_t distinct = 0;    ///< by content (task, what was seen, done and received)
  double entropy_nats = 0;     ///< of the distribution of contents; log(transitions) if all differ
  /// exp(entropy) / transitions in (0, 1]: 1 = no two alike, 1 / transitions = all alike; 1 for none.
  double effective_share = 1;
};

ExperienceVariety measure_variety(std::span<const Trajectory> trajectories);

}  // namespace dreamgym
