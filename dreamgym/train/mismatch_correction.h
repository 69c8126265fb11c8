// Correction for tokens sampled by an engine whose log-probabilities differ from the trainer's, or
// from an older policy: weights for the policy term, and the numbers to watch.
//
// w_t = exp(trainer_logprob - engine_logprob), the log difference clamped to +- 20. Decoupled: the
// trainer's log-probabilities are recomputed with the old policy, and the ratio of the loss is new
// / old. Bypass: old = engine, and nothing is left to correct. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace dreamgym {

/// What a weight or a gate looks at.
enum class RatioLevel {
  kNone,               ///< the weight is 1; the gate lets everything pass
  kToken,              ///< w_t
  kSequenceProduct,    ///< product of the w_t of the sequence
  kSequenceGeometric,  ///< their geometric mean
};

struct MismatchConfig {
  RatioLevel weight = RatioLevel::kToken;
  double truncate_at = 2.0;  ///< weights are cut to this; > 0
  /// Tokens (kToken) or whole sequences whose ratio is outside [keep_low, keep_high] get weight 0.
  RatioLevel gate = RatioLevel::kSequenceProduct;
  double keep_low = 0.0;
  double keep_high = 3.0;
  double max_log_ratio = 20.0;
};

/// TIS: min(w_t, cap) per token, nothing gated (verl#2953).
MismatchConfig truncated_importance_sampling(double cap = 2.0);
/// TRL's default: the sequence's ratio weighs every token, sequences above the cap are left out.
MismatchConfig sequence_masked_importance_sampling(double cap = 3.0);
/// SkyRL: tokens outside [low, high] are left out, nothing is weighed.
MismatchConfig token_gate(double low = 0.5, double high = 2.0);
/// SkyRL: sequences whose geometric mean is outside [low, high] are left out.
MismatchConfig geometric_gate(double low = 0.99, double high = 1.01);

enum class MismatchCorrection { kNone, kTokenTruncated, kSequenceMasked, kTokenGate, kGeometricGate };

/// Of the four above, with their defaults; nothing for kNone.
std::optional<MismatchConfig> mismatch_config(MismatchCorrection correction);

/// Weights of the policy term (PolicyToken::weight) of one sequence's chosen tokens.
///
/// @param trainer_logprobs, engine_logprobs  [T] of the old policy, in the trainer and as sampled.
/// @return  [T] in [0, truncate_at]; constants: no gradient flows through them. All 1 where the two
///          agree.
/// Source:  verl rollout correction (January 2026); TRL vllm importance sampling; SkyRL.
std::vector<double> mismatch_weights(std::span<const double> trainer_logprobs,
                                     std::span<const double> engine_logprobs,
                                     const MismatchConfig& config);

/// How far engine and trainer are apart over a batch's tokens.
struct MismatchMetrics {
  std::size_t tokens = 0;
  double mean_ratio = 1;  ///< of w_t
  double max_ratio = 1;
  double outside_share = 0;           ///< tokens with w_t outside [0.5, 2]
  double max_difference = 0;          ///< largest |trainer - engine|, nats
  double kl_k1 = 0;                   ///< KL(engine || trainer): mean of engine - trainer, nats
  double kl_k3 = 0;                   ///< mean of w - 1 - log w
  double perplexity_ratio = 1;        ///< trainer's perplexity / engine's
  double effective_sample_share = 1;  ///< (sum w)^2 / (n sum w^2), in (0, 1]
};

/// @param trainer_logprobs, engine_logprobs  [n] of all chosen tokens of the batch.
/// @return  the metrics of agreement (as initialised) for no token.
MismatchMetrics measure_mismatch(std::span<const double> trainer_logprobs,
                                 std::span<const double> engine_logprobs,
                                 double max_log_ratio = 20.0);

}  // namespace dreamgym
