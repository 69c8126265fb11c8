// From token losses to the loss of a batch: how much one token counts.
//
// The counts are those of the whole batch an optimiser step sees, so that neither its split into
// micro-batches nor the number of workers changes the loss: add up loss / divisor over all tokens.
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dreamgym {

enum class LossAggregation {
  kTokenMean,                ///< sum over all tokens / tokens: DAPO, verl's default and ours
  kSequenceMeanOfTokenSum,   ///< mean over sequences of their sums
  kSequenceMeanOfTokenMean,  ///< mean over sequences of their means: the original GRPO, GSPO
  kTokenSumOverConstant,     ///< sum over all tokens / a constant: Dr.GRPO
};

/// "token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm" as in verl.
std::string_view loss_aggregation_name(LossAggregation aggregation);

struct BatchCounts {
  std::size_t tokens = 0;     ///< that the policy chose
  std::size_t sequences = 0;  ///< with at least one such token
};

/// Counts of a batch, or of a part; add the parts of all workers.
/// @param tokens_of_sequence  [N] tokens of each sequence that the policy chose, 0 allowed.
BatchCounts count_batch(std::span<const std::size_t> tokens_of_sequence);
BatchCounts operator+(const BatchCounts& a, const BatchCounts& b);

/// What one token's loss is divided by.
///
/// @param sequence_tokens  of the token's sequence, >= 1.
/// @param whole            counts of the whole batch, this sequence included.
/// @param constant         kTokenSumOverConstant: the divisor, e.g. sequences x longest completion
///                         allowed; > 0. Otherwise unused.
/// @throws Error           kInvalidArgument if the batch is smaller than the sequence, or the
///                         constant is not positive.
/// Source:                 verl agg_loss; Dr.GRPO (arXiv 2503.20783).
double loss_divisor(LossAggregation aggregation,
                    std::size_t sequence_tokens,
                    const BatchCounts& whole,
                    double constant = 0);

}  // namespace dreamgym
