// Preference pairs as training sequences, and side by side in micro-batches.
//
// A pair is one sequence: a trunk (what both episodes share) and two branches, the chosen tail and
// the rejected one. So the prompt is computed once, and a pair always lies in one micro-batch.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/packing.h"

namespace dreamgym {

/// Two taught sequences (loss on the agent's tokens) as a pair: branch 0 is the chosen tail, branch
/// 1 the rejected one. The trunk ends before the turn in which they part and carries no loss.
///
/// @param chosen, rejected  sequences without branches.
/// @throws Error kInvalidArgument if they share no token, or a tail has no token to be taught (one
///               was cut short, or the two are equal).
TrainingSequence preference_sequence(const TrainingSequence& chosen,
                                     const TrainingSequence& rejected);

/// Where the queries of a pair lie.
struct PairPlace {
  std::size_t batch = 0;
  std::size_t begin = 0;   ///< first query
  std::size_t chosen = 0;  ///< queries of the chosen tail; those of the rejected one follow
  std::size_t rejected = 0;
};

struct PackedPairs {
  TaughtBatches taught;
  std::vector<PairPlace> places;                   ///< [pair]
  std::vector<std::vector<std::size_t>> of_batch;  ///< [batch] its pairs
};

/// @param pairs  as made by preference_sequence; others are a LogicError.
PackedPairs pack_pairs(std::span<const TrainingSequence* const> pairs, std::size_t max_tokens);

/// Summed log-probabilities of the two tails, nats.
struct TailSums {
  double chosen = 0;
  double rejected = 0;
};

/// @param scores  of the pair's micro-batch.
TailSums sum_tails(std::span<const TokenScore> scores, const PairPlace& place);

}  // namespace dreamgym
