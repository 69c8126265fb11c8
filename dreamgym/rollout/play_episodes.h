// Plays an agent against an environment, many episodes side by side, and hands the episodes back in
// the order of their tasks.
//
// The environment may be real or dreamed: this code can't tell. Each episode draws from streams forked
// from its own number, so neither threads nor batch size change what happens.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/agent/token_agent.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/env/action_mapper.h"
#include "dreamgym/env/environment.h"

namespace dreamgym {

/// What one episode leaves behind: the story and the tokens.
struct Episode {
  Trajectory trajectory;
  TokenLedger ledger;
};

struct RolloutOptions {
  std::size_t max_steps = 30;        ///< longer episodes are truncated
  std::size_t batch_size = 96;       ///< episodes played side by side
  std::size_t first_session = 1;     ///< cache keys used: first_session ... + batch_size - 1
  Provenance provenance = Provenance::kReal;
  std::string simulator_version;     ///< written into dreamed trajectories
  bool paired_world_seed = true;     ///< episode i's hidden world comes from task.seed, not from i
  /// How often episodes that ended for reasons of infrastructure are played anew, all of them together.
  std::size_t infrastructure_retries = 2;
};

struct RolloutCost {
  std::size_t steps = 0;             ///< environment steps taken
  std::size_t sampled_tokens = 0;    ///< by the policy
  std::size_t infrastructure_errors = 0;  ///< episodes it ended, those played anew included
  double environment_seconds = 0;
  double agent_seconds = 0;
};

/// Where the candidates come from: text only through the mapper, or (without one) whatever the
/// observation lists as admissible; neither = the policy writes freely.
/// @param tasks  one episode each; members of a group repeat their task.
/// @param rng    stream of this rollout; episode i uses rng.fork("episode", i).
std::vector<Episode> play_episodes(TokenAgent& agent,
                                   EnvironmentBatch& environment,
                                   const ActionMapperFactory* mappers,
                                   std::span<const Task> tasks,
                                   const Rng& rng,
                                   const RolloutOptions& options,
                                   RolloutCost* cost = nullptr,
                                   ProgressSink* progress = nullptr);

}  // namespace dreamgym
