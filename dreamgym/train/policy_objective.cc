#include "dreamgym/train/policy_objective.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/cispo.h"
#include "dreamgym/train/gspo.h"

namespace dreamgym {
namespace {

std::vector<PolicyTokenLoss> token_losses(std::span<const PolicyToken> tokens,
                                          const PolicyObjectiveConfig& config) {
  if (config.surrogate == PolicySurrogate::kGspo) {
    return gspo_policy_losses(tokens, config.loss);
  }
  std::vector<PolicyTokenLoss> losses;
  losses.reserve(tokens.size());
  for (const PolicyToken& token : tokens) {
    losses.push_back(config.surrogate == PolicySurrogate::kCispo
                         ? cispo_policy_loss(token, config.loss)
                         : clipped_policy_loss(token, config.loss));
  }
  return losses;
}

}  // namespace

PolicySums& PolicySums::operator+=(const PolicySums& other) {
  loss += other.loss;
  kl_to_old += other.kl_to_old;
  kl_to_reference += other.kl_to_reference;
  entropy += other.entropy;
  clipped += other.clipped;
  tokens += other.tokens;
  return *this;
}

PolicyObjective policy_objective(const PolicySequence& sequence,
                                 const BatchCounts& whole,
                                 const PolicyObjectiveConfig& config) {
  const std::size_t size = sequence.tokens.size();
  const bool has_entropy = !sequence.entropies.empty();
  const double bonus = config.loss.entropy_coefficient;
  check(sequence.completion_mask.size() == size, "a mask entry for each token");
  check(!has_entropy || sequence.entropies.size() == size, "an entropy for each token");
  check(has_entropy || bonus == 0, "an entropy bonus needs entropies");

  PolicyObjective out{.sums = {},
                      .d_logprob = std::vector<double>(size, 0.0),
                      .d_entropy = std::vector<double>(size, 0.0)};
  std::vector<std::size_t> places;
  std::vector<PolicyToken> chosen;
  for (std::size_t t = 0; t < size; ++t) {
    if (sequence.completion_mask[t]) {
      places.push_back(t);
      chosen.push_back(sequence.tokens[t]);
    }
  }
  if (chosen.empty()) {
    return out;
  }
  check(sequence.counted_tokens == 0 || sequence.counted_tokens >= chosen.size(),
        "a part has no more tokens than its sequence");
  const double divisor =
      loss_divisor(config.aggregation,
                   sequence.counted_tokens > 0 ? sequence.counted_tokens : chosen.size(),
                   whole,
                   config.aggregation_constant);
  const std::vector<PolicyTokenLoss> losses = token_losses(chosen, config);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double entropy = has_entropy ? sequence.entropies[places[i]] : 0.0;
    out.d_logprob[places[i]] = losses[i].d_logprob / divisor;
    out.d_entropy[places[i]] = -bonus / divisor;
    out.sums += {.loss = (losses[i].loss - bonus * entropy) / divisor,
                 .kl_to_old = losses[i].kl_to_old,
                 .kl_to_reference = losses[i].kl_to_reference,
                 .entropy = entropy,
                 .clipped = losses[i].clipped ? 1.0 : 0.0,
                 .tokens = 1.0};
  }
  return out;
}

}  // namespace dreamgym
