// Plays a trained policy of a run folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/eval/policy_panel.h"
#include "dreamgym/worlds/collect.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym {

/// "RUN" (its best policy: s2r, else dream, else start), "RUN/MODEL" or a model folder.
/// @throws Error kNotFound naming what was looked for.
Path policy_folder(const std::string& name);

/// Episodes of the policy in a world, as collect() would give them.
std::vector<Trajectory> collect_with_policy(const World& world,
                                            const std::string& policy,
                                            const CollectOptions& options);

/// Plays the policy on the tasks in reality.
PanelResult evaluate_policy(const World& world,
                            const std::string& policy,
                            std::span<const Task> tasks,
                            double temperature,
                            std::uint64_t seed,
                            const PanelOptions& options);

}  // namespace dreamgym
