// What the theory promises of a policy trained in a dream, with measured errors in the place of its suprema.
//
// The errors of the theory are suprema over all states and actions; those of a language model can only be estimated
// as means over held-out steps, which are smaller. So the figures say what would hold if the errors were nowhere
// larger than on average: an orientation, no guarantee.
// Pure functions. Thread safety: reentrant. Source: DreamGym (arXiv 2511.03773), appendix B, Theorem 1 and Lemma 1.
#pragma once

namespace dreamgym {

struct BoundInputs {
  double discount = 0.99;        ///< gamma, in (0, 1)
  double largest_reward = 1;     ///< Rmax, > 0
  double reward_error = 0;       ///< eps_R, in [0, Rmax]: mean |R - R_dream|
  double transition_error = 0;   ///< eps_P, in [0, 1]: mean total variation; of a deterministic world the share of wrong next states
  double surrogate_advantage = 0;  ///< E[A] of the new policy under the old one's states, in the dream
  double policy_divergence = 0;  ///< delta: KL of the new policy from the old one, >= 0, nats
};

struct PerformanceBound {
  double model_gap = 0;          ///< Lemma 1: largest |J - J_dream| of any policy
  double surrogate_gain = 0;     ///< first term of Theorem 1
  double trust_region_penalty = 0;
  double model_penalty = 0;      ///< 2 x Lemma 1
  double improvement = 0;        ///< Theorem 1: J(new) - J(old) is at least this
};

/// @throws Error kInvalidArgument naming the input outside its range.
PerformanceBound performance_bound(const BoundInputs& inputs);

}  // namespace dreamgym
