#include "dreamgym/train/loss_aggregation.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

std::string_view loss_aggregation_name(LossAggregation aggregation) {
  switch (aggregation) {
    case LossAggregation::kTokenMean:
      return "token-mean";
    case LossAggregation::kSequenceMeanOfTokenSum:
      return "seq-mean-token-sum";
    case LossAggregation::kSequenceMeanOfTokenMean:
      return "seq-mean-token-mean";
    case LossAggregation::kTokenSumOverConstant:
      return "seq-mean-token-sum-norm";
  }
  throw LogicError("unknown loss aggregation");
}

BatchCounts count_batch(std::span<const std::size_t> tokens_of_sequence) {
  BatchCounts counts;
  for (const std::size_t tokens : tokens_of_sequence) {
    counts.tokens += tokens;
    counts.sequences += tokens > 0 ? 1 : 0;
  }
  return counts;
}

BatchCounts operator+(const BatchCounts& a, const BatchCounts& b) {
  return {a.tokens + b.tokens, a.sequences + b.sequences};
}

double loss_divisor(LossAggregation aggregation,
                    std::size_t sequence_tokens,
                    const BatchCounts& whole,
                    double constant) {
  check(sequence_tokens >= 1, "a sequence with a loss has a token");
  if (whole.tokens < sequence_tokens || whole.sequences == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("batch counts of {} token(s) in {} sequence(s) do not cover a sequence "
                            "of {} token(s)",
                            whole.tokens,
                            whole.sequences,
                            sequence_tokens),
                "count the whole batch of the optimiser step, not the micro-batch");
  }
  switch (aggregation) {
    case LossAggregation::kTokenMean:
      return static_cast<double>(whole.tokens);
    case LossAggregation::kSequenceMeanOfTokenSum:
      return static_cast<double>(whole.sequences);
    case LossAggregation::kSequenceMeanOfTokenMean:
      return static_cast<double>(whole.sequences) * static_cast<double>(sequence_tokens);
    case LossAggregation::kTokenSumOverConstant:
      break;
  }
  if (!(constant > 0)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the constant of {} is {}, expected a positive number",
                            loss_aggregation_name(aggregation),
                            constant),
                "take sequences x longest completion allowed, as Dr.GRPO does");
  }
  return constant;
}

}  // namespace dreamgym
