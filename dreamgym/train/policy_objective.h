// The whole objective of a policy update, sequence by sequence: surrogate, KL term, entropy bonus,
// and the share of the batch's loss each token has.
//
// A trainer calls it from the model's loss callback; the gradients it returns are those of the loss
// of the whole batch. Thread safety: reentrant.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/train/loss_aggregation.h"
#include "dreamgym/train/policy_loss.h"

namespace dreamgym {

enum class PolicySurrogate {
  kClipped,  ///< policy_loss.h: PPO, GRPO, DAPO, Dr.GRPO
  kGspo,     ///< gspo.h
  kCispo,    ///< cispo.h
};

struct PolicyObjectiveConfig {
  PolicySurrogate surrogate = PolicySurrogate::kClipped;
  PolicyLossConfig loss;
  LossAggregation aggregation = LossAggregation::kTokenMean;
  /// Of kTokenSumOverConstant, > 0. A trainer takes 0 for episodes of an optimiser step x max_steps.
  double aggregation_constant = 0;
};

/// One sequence. What the environment wrote is masked, and whatever stands there plays no part.
struct PolicySequence {
  std::vector<PolicyToken> tokens;    ///< [T]
  std::vector<double> entropies;      ///< [T] nats; may be empty without an entropy bonus
  std::vector<bool> completion_mask;  ///< [T] true where the policy chose the token
  /// Chosen tokens of the sequence that this is a part of, for the aggregation; 0 = it is whole.
  std::size_t counted_tokens = 0;
};

/// Sums over tokens, to be added over sequences and divided by `tokens` for the metrics.
struct PolicySums {
  double loss = 0;  ///< already this sequence's share of the batch's loss: add, don't divide
  double kl_to_old = 0;
  double kl_to_reference = 0;
  double entropy = 0;
  double clipped = 0;
  double tokens = 0;

  PolicySums& operator+=(const PolicySums& other);
};

struct PolicyObjective {
  PolicySums sums;
  std::vector<double> d_logprob;  ///< [T] of the batch's loss; 0 where masked
  std::vector<double> d_entropy;  ///< [T] likewise
};

/// sum over chosen tokens of (loss_t - entropy_coefficient x entropy_t) / loss_divisor.
///
/// @param whole   counts of the whole batch of this optimiser step.
/// @return        all zero for a sequence without a chosen token.
/// @throws Error  as loss_divisor.
PolicyObjective policy_objective(const PolicySequence& sequence,
                                 const BatchCounts& whole,
                                 const PolicyObjectiveConfig& config);

}  // namespace dreamgym
