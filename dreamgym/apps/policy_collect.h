// Plays a policy: of a run folder, or any model as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/apps/policy_model.h"
#include "dreamgym/base/file.h"
#include "dreamgym/eval/policy_panel.h"
#include "dreamgym/worlds/collect.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym {

/// How a policy is played.
struct PolicyPlay {
  std::string policy;  ///< as policy_folder() takes it
  /// Of a pretrained model; nothing = as it was trained, or the defaults.
  std::optional<AgentChat> chat{};
  double temperature = 1.0;
  std::string weights = "fp32";  ///< EngineConfig::weights
  std::string cache = "fp32";    ///< EngineConfig::cache
};

/// "RUN" (its best policy: s2r, else dream, else start), "RUN/MODEL", a model folder or .gguf file.
/// @throws Error kNotFound naming what was looked for.
Path policy_folder(const std::string& name);

/// Episodes of the policy in a world, as collect() would give them.
std::vector<Trajectory> collect_with_policy(const World& world,
                                            const PolicyPlay& play,
                                            const CollectOptions& options);

/// Plays the policy on the tasks in reality.
PanelResult evaluate_policy(const World& world,
                            const PolicyPlay& play,
                            std::span<const Task> tasks,
                            std::uint64_t seed,
                            const PanelOptions& options);

}  // namespace dreamgym
