// Generalised advantage estimation over the tokens the policy chose, flat or in two levels.
//
// What the environment wrote is stepped over: values and rewards of such tokens play no part, so
// inserting them anywhere changes nothing. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <vector>

namespace dreamgym {

/// One sequence. Values at tokens the environment wrote may be anything, NaN included.
struct ValuedTokens {
  std::vector<double> rewards;        ///< [T] finite; 0 where the mask is false
  std::vector<double> values;         ///< [T] old value estimates, in the unit of the rewards
  std::vector<bool> completion_mask;  ///< [T] true where the policy chose the token
  std::vector<std::size_t> turns;  ///< [T] turn of each token, not falling; for the two-level form
  /// Value of what follows the last token: 0 after a natural end; the critic's estimate where a
  /// limit cut the episode (verl takes 0 there too).
  double value_after_end = 0;
};

struct GaeConfig {
  double gamma = 1.0;   ///< discount, in [0, 1]
  double lambda = 1.0;  ///< in [0, 1]; 1 = return - value, 0 = one-step error
};

struct TokenAdvantages {
  std::vector<double> advantages;  ///< [T] not whitened; 0 where the mask is false
  std::vector<double> returns;     ///< [T] advantage + value: the critic's target; 0 likewise
};

/// delta_t = r_t + gamma V_{t+1} - V_t;  A_t = delta_t + gamma lambda A_{t+1},
/// where t + 1 is the next token the policy chose.
///
/// @throws Error kInvalidArgument for a reward that is not finite or lies on a token of the
///               environment, a value of a chosen token that is not finite, gamma or lambda
///               outside [0, 1].
/// Deviation:    verl loses a reward on a masked token; here it is an error.
/// Source:       GAE (arXiv 1506.02438) Eq. 16; verl compute_gae_advantage_return.
TokenAdvantages token_gae(const ValuedTokens& tokens, const GaeConfig& config);

struct TwoLevelGaeConfig {
  GaeConfig turns = {.gamma = 0.95, .lambda = 1.0};  ///< from turn to turn
  GaeConfig tokens = {.gamma = 1.0, .lambda = 1.0};  ///< within a turn
};

/// First GAE over the turns, each standing on the last token the policy chose in it; then GAE over
/// the tokens of each turn alone, whose last token is rewarded with the turn's return. So
/// discounting counts turns, not tokens.
///
/// @param tokens  rewards only on a turn's last chosen token; turns set.
/// @throws Error  as token_gae, and kInvalidArgument for a reward elsewhere in a turn.
/// Deviation:     turns are given; RAGEN takes the tokens with a reward other than 0 for their
/// ends,
///                so that a turn without reward is merged with the next.
/// Source:        RAGEN (arXiv 2504.20073) bi-level GAE.
TokenAdvantages two_level_gae(const ValuedTokens& tokens, const TwoLevelGaeConfig& config);

}  // namespace dreamgym
