// Losses on pairs of completions, one preferred to the other: DPO and its family.
//
// Pure functions of summed log-probabilities. A completion's tokens are those the model produced;
// turns of the environment between them are left out of the sums. Thread safety: reentrant.
#pragma once

#include <cstddef>

namespace dreamgym {

enum class PreferenceLossKind {
  kDpo,    ///< -log sigmoid(beta h)
  kIpo,    ///< (h - 1 / (2 beta))^2
  kHinge,  ///< max(0, 1 - beta h): SLiC on DPO's margin
};

struct PreferenceLossConfig {
  PreferenceLossKind kind = PreferenceLossKind::kDpo;
  double beta = 0.1;  ///< strength of the pull to the reference, > 0
  /// Share of pairs whose preference is taken to be the wrong way round, in [0, 0.5); kDpo only.
  double label_smoothing = 0.0;
  bool length_normalised = false;  ///< log-probabilities are means over tokens instead of sums
  /// RPO: weight of the chosen completion's negative log-likelihood per token, >= 0.
  double sft_weight = 0.0;
};

struct PreferencePairScore {
  double chosen = 0;  ///< sum of log-probabilities under the policy, nats
  double rejected = 0;
  double reference_chosen = 0;  ///< under the reference
  double reference_rejected = 0;
  std::size_t chosen_tokens = 1;  ///< tokens in the sums, >= 1
  std::size_t rejected_tokens = 1;
};

struct PreferencePairLoss {
  double loss = 0;
  double d_chosen = 0;    ///< with respect to each token log-probability of the chosen completion
  double d_rejected = 0;  ///< likewise of the rejected one
  double chosen_reward = 0;    ///< beta (chosen - reference_chosen), implicit
  double rejected_reward = 0;  ///< their difference is the margin; > 0 = ranked right
  double sft_loss = 0;         ///< -chosen / chosen_tokens, reported even with weight 0
};

/// h = (chosen - reference_chosen) - (rejected - reference_rejected); the mean over a batch's pairs
/// is the caller's.
///
/// @throws Error  kInvalidArgument for beta <= 0, label_smoothing outside [0, 0.5) or with another
///                kind than kDpo.
/// Source:        DPO (arXiv 2305.18290) Eq. 7; IPO (arXiv 2310.12036) Eq. 17; hinge: SLiC and RSO
///                (arXiv 2309.06657); label smoothing: conservative DPO, as in TRL; length: SimPO
///                (arXiv 2405.14734), with a reference; RPO: arXiv 2404.19733.
PreferencePairLoss preference_loss(const PreferencePairScore& pair,
                                   const PreferenceLossConfig& config);

}  // namespace dreamgym
