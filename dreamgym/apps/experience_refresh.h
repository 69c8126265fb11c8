// A run's experience model taught again when there is new real data, and what that changed.
#pragma once

#include <map>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/train/sft.h"

namespace dreamgym {

struct RefreshRequest {
  Path run;
  std::string logs;               ///< canonical JSONL of new real episodes; traces are added where they are missing
  double epochs = 1;              ///< over the run's offline data and the new episodes together
  double held_out_share = 0.2;    ///< of the new episodes: never taught, to measure on, in [0, 1)
};

struct ExperienceRefresh {
  SftReport sft;
  std::size_t taught = 0;                ///< new episodes
  std::size_t held_out = 0;              ///< episodes measured on: the run's own held-out ones and those of the new ones
  std::map<std::string, double> before;  ///< measures of docs/metrics.md; empty if nothing is held out
  std::map<std::string, double> after;
  Path kept;                             ///< folder of the model as it was
};

/// The joint loss (Eq. 5) from the run's weights on, old and new episodes mixed so that nothing is forgotten. The new
/// transitions join the run's memory as real ones. The old model stays as models/experience_before.
/// @throws Error kInvalidArgument if the run trains no experience model or has none yet, if there is nothing new to
///         teach, or if the logs are of another world.
ExperienceRefresh refresh_experience(const RefreshRequest& request, ProgressSink& progress);

/// For people: what was measured before and after.
std::string refresh_table(const ExperienceRefresh& refresh);

}  // namespace dreamgym
