// A critic that needs no head of its own: a language model asked which of two markers comes next.
//
//   V(prefix) = lowest + (highest - lowest) P(good | prefix, {good, bad})
//
// The two rows of the vocabulary are the value head; values are bounded by what an episode can
// return, and the critic is trained, saved and checked like any other model. It reads the policy's
// batches: one value for each token the policy chose, of the prefix before it.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "dreamgym/nn/packed_batch.h"

namespace dreamgym {

struct CriticConfig {
  TokenId good = 0;  ///< any two different ids of the vocabulary
  TokenId bad = 1;
  double lowest = 0.0;  ///< least value, in the unit of the rewards; penalties may need less than 0
  double highest = 1.0;  ///< > lowest
};

/// The policy's batch with the critic's question in place of each of its queries.
/// @throws Error kInvalidArgument if the markers are equal or highest <= lowest.
PackedBatch critic_batch(const PackedBatch& policy_batch, const CriticConfig& config);

/// @param logprob  the critic's answer to its question, <= 0.
double critic_value(double logprob, const CriticConfig& config);

/// d loss / d logprob from d loss / d value.
double critic_gradient(double logprob, double d_value, const CriticConfig& config);

}  // namespace dreamgym
