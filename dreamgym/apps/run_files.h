// What a run wrote for itself: reading it back, with a word on what to do where it is damaged.
#pragma once

#include <vector>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/apps/policy_model.h"
#include "dreamgym/base/file.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

/// Episodes of a run folder (data/offline.jsonl and the like). @throws Error as read_trajectories.
std::vector<Trajectory> read_run_trajectories(const Path& file);

/// A model of a run folder. @throws Error as load_model.
ModelFiles load_run_model(const Path& folder);
/// A policy of a run folder. @throws Error as load_policy.
PolicyModel load_run_policy(const Path& folder);

}  // namespace dreamgym
