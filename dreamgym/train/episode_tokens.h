// Which turn each trainable token of an episode belongs to, and where the rewards land.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

/// Of the tokens the policy chose among at least two, in order.
struct EpisodeTokens {
  std::vector<double> rewards;     ///< [T]
  std::vector<std::size_t> turns;  ///< [T] step of the episode, not falling
};

/// A step's reward lands on the last such token of its turn. Where a turn has none (its action was
/// forced), it lands on the last one before, whose consequence it is; a reward before any choice
/// is nobody's and is left out.
///
/// @param ledgers       contexts of the episode, in the order of its turns.
/// @param step_rewards  [steps of the episode].
EpisodeTokens episode_tokens(std::span<const TokenLedger> ledgers,
                             std::span<const double> step_rewards);

}  // namespace dreamgym
