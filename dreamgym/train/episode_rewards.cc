#include "dreamgym/train/episode_rewards.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/episode_tokens.h"

namespace dreamgym {

EpisodeRewards episode_rewards(const Episode& episode,
                               const RewardShapingConfig& config,
                               std::span<const double> kl_penalties) {
  const Trajectory& story = episode.trajectory;
  EpisodeRewards out;
  out.of_step = penalised_step_rewards(story, config.invalid_action_penalty);
  double added = 0;
  for (std::size_t step = 0; step < story.steps.size(); ++step) {
    added += out.of_step[step] - story.steps[step].reward;
  }
  if (config.overlong.factor > 0 && !out.of_step.empty()) {
    const double penalty = overlong_penalty(num_sampled(episode), config.overlong);
    out.of_step.back() += penalty;
    added += penalty;
  }
  EpisodeTokens tokens = episode_tokens(episode.ledgers, out.of_step);
  out.of_token = std::move(tokens.rewards);
  out.turns = std::move(tokens.turns);
  if (!kl_penalties.empty()) {
    check(kl_penalties.size() == out.of_token.size(), "a KL penalty for each chosen token");
    for (std::size_t t = 0; t < kl_penalties.size(); ++t) {
      out.of_token[t] -= kl_penalties[t];
      out.of_step[out.turns[t]] -= kl_penalties[t];
      added -= kl_penalties[t];
    }
  }
  out.score = story.episode_return + added;
  return out;
}

}  // namespace dreamgym
