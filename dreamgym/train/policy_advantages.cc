#include "dreamgym/train/policy_advantages.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/grouped_advantages.h"
#include "dreamgym/train/reinforce_pp.h"

namespace dreamgym {
namespace {

using Advantages = std::vector<std::vector<double>>;

std::size_t num_tokens(std::span<const EpisodeRewards> rewards) {
  std::size_t total = 0;
  for (const EpisodeRewards& of_episode : rewards) {
    total += of_episode.of_token.size();
  }
  return total;
}

Advantages none(std::span<const EpisodeRewards> rewards) {
  Advantages out;
  for (const EpisodeRewards& of_episode : rewards) {
    out.emplace_back(of_episode.of_token.size(), 0.0);
  }
  return out;
}

Advantages whitened_returns(std::span<const EpisodeRewards> rewards, double discount) {
  std::vector<RewardedTokens> batch;
  for (const EpisodeRewards& of_episode : rewards) {
    batch.push_back({.rewards = of_episode.of_token,
                     .completion_mask = std::vector<bool>(of_episode.of_token.size(), true)});
  }
  return reinforce_pp_advantages(batch, discount);
}

Advantages whitened_differences(std::span<const Episode> episodes,
                                std::span<const EpisodeRewards> rewards,
                                bool keep_singletons) {
  std::vector<GroupSample> samples;
  std::vector<std::size_t> lengths;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    samples.push_back({episodes[e].group, e, rewards[e].score});
    lengths.push_back(rewards[e].of_token.size());
  }
  Advantages out;
  const auto of_episode = reinforce_pp_baseline_advantages(samples, lengths, keep_singletons);
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    out.emplace_back(lengths[e], of_episode[e]);
  }
  return out;
}

GroupEstimator group_estimator(AdvantageEstimator estimator) {
  return estimator == AdvantageEstimator::kGrpo     ? GroupEstimator::kGrpo
         : estimator == AdvantageEstimator::kDrGrpo ? GroupEstimator::kDrGrpo
                                                    : GroupEstimator::kRloo;
}

// One sample a step, each with its episode's score; then the step's own part.
std::vector<double> step_advantages(std::span<const Episode> episodes,
                                    std::span<const EpisodeRewards> rewards,
                                    const AdvantageConfig& config) {
  std::vector<GroupSample> samples;
  std::vector<GigpoStep> steps;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const auto& story = episodes[e].trajectory;
    for (std::size_t s = 0; s < story.steps.size(); ++s) {
      samples.push_back({episodes[e].group, e, rewards[e].score});
      steps.push_back({.group = episodes[e].group,
                       .episode = e,
                       .episode_score = rewards[e].score,
                       .reward = rewards[e].of_step[s],
                       .anchor = story.steps[s].observation.text});
    }
  }
  std::vector<double> out =
      grouped_advantages(samples,
                         {.estimator = group_estimator(config.estimator),
                          .count_every_sample = config.count_every_step,
                          .keep_singletons = config.keep_singletons})
          .advantages;
  if (config.step_weight > 0) {
    const auto fine =
        gigpo_advantages(steps,
                         {.gamma = config.step_discount,
                          .scale_by_std = config.scale_steps,
                          .similarity = config.step_similarity});
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += config.step_weight * fine.step_part[i];
    }
  }
  return out;
}

}  // namespace

bool compares_within_groups(AdvantageEstimator estimator) {
  return estimator != AdvantageEstimator::kReinforcePp;
}

Advantages policy_advantages(std::span<const Episode> episodes,
                             std::span<const EpisodeRewards> rewards,
                             const AdvantageConfig& config) {
  check(episodes.size() == rewards.size(), "every episode has its rewards");
  if (num_tokens(rewards) < 2) {
    return none(rewards);  // no spread to whiten by, and nothing to learn
  }
  if (config.estimator == AdvantageEstimator::kReinforcePp) {
    return whitened_returns(rewards, config.token_discount);
  }
  if (config.estimator == AdvantageEstimator::kReinforcePpBaseline) {
    return whitened_differences(episodes, rewards, config.keep_singletons);
  }
  const std::vector<double> of_step = step_advantages(episodes, rewards, config);
  Advantages out;
  std::size_t first = 0;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    auto& of_token = out.emplace_back();
    for (const std::size_t turn : rewards[e].turns) {
      of_token.push_back(of_step[first + turn]);
    }
    first += episodes[e].trajectory.steps.size();
  }
  return out;
}

}  // namespace dreamgym
