// The critic's loss of one token, with its derivative.
//
// Thread safety: reentrant.
#pragma once

namespace dreamgym {

struct ValueLossConfig {
  /// The new value may move this far from the old one before it stops earning; in the unit of the
  /// returns, > 0. 0 = no clipping.
  double clip = 0.5;
};

struct ValueTokenLoss {
  double loss = 0;
  double d_value = 0;    ///< derivative with respect to the new value
  bool clipped = false;  ///< the clip cut the gradient
};

/// max((V - G)^2, (clip(V, V_old - clip, V_old + clip) - G)^2) / 2.
///
/// @param value          of the critic being trained.
/// @param old_value      of the critic when the batch was collected.
/// @param episode_return G, the target: advantage + old value (gae.h).
/// Source:               PPO as in verl compute_value_loss; the coefficient is the caller's.
ValueTokenLoss clipped_value_loss(double value,
                                  double old_value,
                                  double episode_return,
                                  const ValueLossConfig& config);

}  // namespace dreamgym
