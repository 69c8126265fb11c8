#include "dreamgym/train/reinforce_pp.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/gae.h"
#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/whitening.h"

namespace dreamgym {

std::vector<std::vector<double>> reinforce_pp_advantages(std::span<const RewardedTokens> batch,
                                                         double gamma) {
  std::vector<std::vector<double>> returns;
  std::vector<std::vector<bool>> mask;
  for (const RewardedTokens& sequence : batch) {
    // The return to go is GAE with lambda 1 and a critic that says 0.
    const std::vector<double> no_values(sequence.rewards.size(), 0.0);
    returns.push_back(token_gae({.rewards = sequence.rewards,
                                 .values = no_values,
                                 .completion_mask = sequence.completion_mask,
                                 .turns = {}},
                                {.gamma = gamma, .lambda = 1.0})
                          .returns);
    mask.push_back(sequence.completion_mask);
  }
  return whitened(returns, mask);
}

std::vector<double> reinforce_pp_baseline_advantages(std::span<const GroupSample> samples,
                                                     std::span<const std::size_t> num_tokens,
                                                     bool keep_singletons) {
  check(samples.size() == num_tokens.size(), "a token count for each sample");
  const GroupedAdvantages centred = grouped_advantages(
      samples, {.estimator = GroupEstimator::kDrGrpo, .keep_singletons = keep_singletons});
  std::vector<std::vector<double>> values;
  std::vector<std::vector<bool>> mask;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    values.emplace_back(num_tokens[n], centred.advantages[n]);
    mask.emplace_back(num_tokens[n], centred.used[n]);
  }
  std::vector<double> advantages;
  for (const auto& row : whitened(values, mask)) {
    advantages.push_back(row.empty() ? 0.0 : row.front());
  }
  return advantages;
}

}  // namespace dreamgym
