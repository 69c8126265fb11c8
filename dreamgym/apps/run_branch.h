// A run continued another way: from the policy it trained in its dream, with real steps of its own.
#pragma once

#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"

namespace dreamgym {

struct BranchRequest {
  Path from;                 ///< a run whose dream stage is done
  Path to;                   ///< the branch; may be there already (then it is continued)
  std::size_t budget_steps;  ///< real steps, never exceeded
  double dream_share;        ///< of the groups, played in the dream all the while
};

/// Makes the branch's folder (everything up to the dream is the run's) and returns its settings: the
/// run's, with S2R as the only stage to come.
/// @throws Error kConfig for a budget of 0, kInvalidArgument if the run has not been trained in its
///               dream or has no real world.
ExperimentConfig branch_run(const BranchRequest& request);

}  // namespace dreamgym
