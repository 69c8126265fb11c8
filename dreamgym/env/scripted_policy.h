// Policies that are programs: experts, experts that make mistakes, and chance.
//
// They make the offline logs a dream is learnt from, and they are the arms that need no training.
// A policy is told which action was really taken, so a decorator may overrule it.
#pragma once

#include <cstdint>
#include <memory>

#include "dreamgym/data/types.h"
#include "dreamgym/env/action_mapper.h"

namespace dreamgym {

/// Plays one episode at a time.
/// Thread safety: none; one thread per object.
class ScriptedPolicy {
 public:
  virtual ~ScriptedPolicy() = default;
  /// Starts an episode; `seed` feeds whatever the policy draws at random.
  virtual void reset(const Task& task, const Observation& observation, std::uint64_t seed) = 0;
  /// The action it would take now. Called at most once before each observe().
  virtual Action act() = 0;
  /// Takes note of the action that was taken and of what came back.
  virtual void observe(const Action& action, const Observation& observation) = 0;
};

/// Uniform among the admissible actions where the world shows them, else among the mapper's.
/// @param mapper  may be null if the world always shows admissible actions.
std::unique_ptr<ScriptedPolicy> make_random_policy(std::unique_ptr<ActionMapper> mapper);

/// The other policy, overruled with probability `noise` at each step by a random action as above.
/// @param noise  in [0, 1]. @throws Error kInvalidArgument otherwise.
std::unique_ptr<ScriptedPolicy> make_noisy_policy(std::unique_ptr<ScriptedPolicy> policy,
                                                  std::unique_ptr<ActionMapper> mapper,
                                                  double noise);

}  // namespace dreamgym
