#include "dreamgym/train/mismatch_correction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// The ratio a level looks at, for each token.
std::vector<double> ratios(RatioLevel level, std::span<const double> log_ratios, double bound) {
  const auto size = static_cast<double>(log_ratios.size());
  double sum = 0;
  for (const double log_ratio : log_ratios) {
    sum += log_ratio;
  }
  std::vector<double> out;
  for (const double log_ratio : log_ratios) {
    double value = 0;  // kNone
    if (level == RatioLevel::kToken) {
      value = log_ratio;
    } else if (level == RatioLevel::kSequenceProduct) {
      value = sum;
    } else if (level == RatioLevel::kSequenceGeometric) {
      value = sum / size;
    }
    out.push_back(std::exp(std::clamp(value, -bound, bound)));
  }
  return out;
}

std::vector<double> differences(std::span<const double> trainer, std::span<const double> engine) {
  check(trainer.size() == engine.size(), "an engine log-probability for each token");
  std::vector<double> out;
  for (std::size_t t = 0; t < trainer.size(); ++t) {
    out.push_back(trainer[t] - engine[t]);
  }
  return out;
}

}  // namespace

MismatchConfig truncated_importance_sampling(double cap) {
  return {.weight = RatioLevel::kToken, .truncate_at = cap, .gate = RatioLevel::kNone};
}

MismatchConfig sequence_masked_importance_sampling(double cap) {
  return {.weight = RatioLevel::kSequenceProduct,
          .truncate_at = kUnbounded,
          .gate = RatioLevel::kSequenceProduct,
          .keep_low = 0,
          .keep_high = cap};
}

MismatchConfig token_gate(double low, double high) {
  return {.weight = RatioLevel::kNone,
          .truncate_at = kUnbounded,
          .gate = RatioLevel::kToken,
          .keep_low = low,
          .keep_high = high};
}

MismatchConfig geometric_gate(double low, double high) {
  return {.weight = RatioLevel::kNone,
          .truncate_at = kUnbounded,
          .gate = RatioLevel::kSequenceGeometric,
          .keep_low = low,
          .keep_high = high};
}

std::optional<MismatchConfig> mismatch_config(MismatchCorrection correction) {
  switch (correction) {
    case MismatchCorrection::kNone:
      return std::nullopt;
    case MismatchCorrection::kTokenTruncated:
      return truncated_importance_sampling();
    case MismatchCorrection::kSequenceMasked:
      return sequence_masked_importance_sampling();
    case MismatchCorrection::kTokenGate:
      return token_gate();
    case MismatchCorrection::kGeometricGate:
      return geometric_gate();
  }
  throw LogicError("unknown mismatch correction");
}

std::vector<double> mismatch_weights(std::span<const double> trainer_logprobs,
                                     std::span<const double> engine_logprobs,
                                     const MismatchConfig& config) {
  const std::vector<double> log_ratios = differences(trainer_logprobs, engine_logprobs);
  std::vector<double> weights = ratios(config.weight, log_ratios, config.max_log_ratio);
  const std::vector<double> gates = ratios(config.gate, log_ratios, config.max_log_ratio);
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const bool is_kept = config.gate == RatioLevel::kNone ||
                         (gates[t] >= config.keep_low && gates[t] <= config.keep_high);
    weights[t] = is_kept ? std::min(weights[t], config.truncate_at) : 0.0;
  }
  return weights;
}

MismatchMetrics measure_mismatch(std::span<const double> trainer_logprobs,
                                 std::span<const double> engine_logprobs,
                                 double max_log_ratio) {
  MismatchMetrics out;
  out.tokens = trainer_logprobs.size();
  if (out.tokens == 0) {
    return out;
  }
  const auto count = static_cast<double>(out.tokens);
  const std::vector<double> log_ratios = differences(trainer_logprobs, engine_logprobs);
  double sum = 0;
  double squares = 0;
  out.max_ratio = 0;
  for (const double log_ratio : log_ratios) {
    const double clamped = std::clamp(log_ratio, -max_log_ratio, max_log_ratio);
    const double ratio = std::exp(clamped);
    sum += ratio;
    squares += ratio * ratio;
    out.max_ratio = std::max(out.max_ratio, ratio);
    out.max_difference = std::max(out.max_difference, std::abs(log_ratio));
    out.outside_share += (ratio < 0.5 || ratio > 2.0 ? 1.0 : 0.0) / count;
    out.kl_k1 -= log_ratio / count;
    out.kl_k3 += (ratio - 1.0 - clamped) / count;
  }
  out.mean_ratio = sum / count;
  out.perplexity_ratio = std::exp(out.kl_k1);
  out.effective_sample_share = sum * sum / (count * squares);
  return out;
}

}  // namespace dreamgym
