// What a base model can do on held-out invented episodes, greedily.
#pragma once

#include <cstddef>

#include "dreamgym/apps/model_folder.h"

namespace dreamgym {

/// Shares of exact answers, each over `probes` questions.
struct Abilities {
  double copy = 0;      ///< repeat a name just read, in a whole reply
  double recall = 0;    ///< a list after at least 500 tokens
  double tracking = 0;  ///< the trace of a step while something is held
  /// Choose the demonstrator's action among the possible ones where the task decides it: taking, putting,
  /// treating and using in invented houses (not where to look next).
  double acting = 0;
  std::size_t probes = 0;
};

Abilities measure_abilities(const ModelFiles& model, std::size_t probes, std::size_t threads);

}  // namespace dreamgym
