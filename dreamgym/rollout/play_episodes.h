// Plays an agent against an environment, many episodes side by side, and hands the episodes back in
// the order of their tasks.
//
// The environment may be real or dreamed: this code can't tell. Each episode draws from streams forked
// from its own number, so neither threads nor batch size nor timing change what happens. An episode goes on as
// soon as its environment has answered and its action is there: neither a slow environment nor a long reply holds up
// anybody else, and the place of an episode that has ended is the next one's at once. An episode whose environment
// fails (which is no failure of the agent) is played again on a fresh one, from the same streams; so an environment
// that fails now and then changes no result.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/agent/token_agent.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/env/action_mapper.h"
#include "dreamgym/env/environment.h"
#include "dreamgym/rollout/watchdog.h"

namespace dreamgym {

/// What one episode leaves behind: the story and the tokens.
struct Episode {
  Trajectory trajectory;
  /// What the policy read and chose: one context for the whole episode, or one for each turn where its history is a
  /// window or its chat template forgets its thoughts.
  std::vector<TokenLedger> ledgers{};
  std::size_t group = 0;             ///< shared by the members of a group, set by whoever made it
};

/// Tokens the policy wrote in an episode.
std::size_t num_sampled(const Episode& episode);

struct RolloutOptions {
  std::size_t max_steps = 30;        ///< longer episodes are truncated
  std::size_t batch_size = 96;       ///< places: episodes played side by side
  std::size_t first_session = 1;     ///< cache keys used: first_session ... + batch_size - 1
  Provenance provenance = Provenance::kReal;
  std::string simulator_version{};   ///< written into dreamed trajectories
  bool paired_world_seed = true;     ///< episode i's hidden world comes from task.seed, not from i
  std::size_t retries = 2;           ///< of an episode whose environment failed
  std::size_t retry_budget = SIZE_MAX;  ///< environment steps retries may take in all
  double episode_seconds = 0;        ///< a longer episode counts as failed environment; 0 = no limit
  double rollout_seconds = 0;        ///< after it what still runs counts as failed environment; 0 = no limit
  Watchdog* watchdog = nullptr;      ///< borrowed; may be null
};

struct RolloutCost {
  std::size_t steps = 0;             ///< environment steps taken, those of failed attempts included
  std::size_t failed_attempts = 0;   ///< episodes an environment failed in, once for each time
  std::size_t lost_episodes = 0;     ///< that failed in the last attempt too
  std::string first_failure;         ///< what the first one said
  std::map<std::string, std::size_t> lost_of_tasks;  ///< lost_episodes by task id: is a kind of task missing?
  std::size_t sampled_tokens = 0;    ///< by the policy
  std::size_t ledger_branches = 0;   ///< contexts begun because the one before was no beginning of them
  double environment_seconds = 0;    ///< in it or waiting for it: what it did while others decided is not in it
  double agent_seconds = 0;          ///< the policy's decisions
  double generation_seconds = 0;     ///< of these, in its model
};

/// The task that lost most episodes, and how many; {"", 0} if none was lost.
std::pair<std::string, std::size_t> most_lost(const RolloutCost& cost);

/// Adds what another rollout cost.
void add_cost(RolloutCost& total, const RolloutCost& spent);

/// Where the candidates come from: text only through the mapper, or (without one) whatever the
/// observation lists as admissible; neither = the policy writes freely.
/// @param tasks  one episode each; members of a group repeat their task.
/// @param rng    stream of this rollout; episode i uses rng.fork("episode", i).
/// @return       [tasks]; an episode that could not be played has Outcome::kInfrastructureError and
///               must not be learnt from or counted.
std::vector<Episode> play_episodes(TokenAgent& agent,
                                   EnvironmentBatch& environment,
                                   const ActionMapperFactory* mappers,
                                   std::span<const Task> tasks,
                                   const Rng& rng,
                                   const RolloutOptions& options,
                                   RolloutCost* cost = nullptr,
                                   ProgressSink* progress = nullptr);

}  // namespace dreamgym
