#include "dreamgym/train/critic_update.h"

#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/internal/packed_episodes.h"
#include "dreamgym/train/whitening.h"

namespace dreamgym {
namespace {

using internal::PackedEpisodes;

std::vector<PackedBatch> critic_batches(const PlayedBatches& played, const CriticConfig& config) {
  std::vector<PackedBatch> out;
  for (const PackedBatch& batch : played.batches) {
    out.push_back(critic_batch(batch, config));
  }
  return out;
}

/// 1 - variance of the errors / variance of the returns.
double explained_variance(std::span<const double> returns, std::span<const double> errors) {
  if (returns.empty()) {
    return 0.0;
  }
  const double spread = internal::group_statistics(returns).deviation;
  const double left = internal::group_statistics(errors).deviation;
  return spread > 0 ? 1.0 - left * left / (spread * spread) : 0.0;
}

}  // namespace

std::vector<PpoLesson> ppo_lessons(std::span<const Episode> episodes,
                                   std::span<const EpisodeRewards> rewards,
                                   const TrainableModel& critic,
                                   const CriticTrainingConfig& config,
                                   std::size_t tokens_per_micro_batch) {
  check(episodes.size() == rewards.size(), "every episode has its rewards");
  std::vector<const Episode*> pointers;
  for (const Episode& episode : episodes) {
    pointers.push_back(&episode);
  }
  const PackedEpisodes packed = internal::pack_with_places(pointers, tokens_per_micro_batch);
  const auto scores = critic.score(critic_batches(packed.played, config.question));

  std::vector<std::vector<double>> values(episodes.size());
  for (const SamplePlace& place : packed.played.places) {
    for (std::size_t i = 0; i < place.count; ++i) {
      const double logprob = scores[place.batch][place.begin + i].logprob;
      values[place.episode].push_back(critic_value(logprob, config.question));
    }
  }
  std::vector<PpoLesson> lessons;
  std::vector<std::vector<double>> raw;
  std::vector<std::vector<bool>> masks;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const std::size_t count = values[e].size();
    if (count == 0) {
      continue;
    }
    ValuedTokens valued = {.rewards = rewards[e].of_token,
                           .values = std::move(values[e]),
                           .completion_mask = std::vector<bool>(count, true),
                           .turns = rewards[e].turns};
    TokenAdvantages gae =
        config.two_level ? two_level_gae(valued, config.gae) : token_gae(valued, config.gae.tokens);
    raw.push_back(std::move(gae.advantages));
    masks.push_back(std::move(valued.completion_mask));
    lessons.push_back({.policy = {.episode = &episodes[e],
                                  .advantages = std::vector<double>(count, 0.0)},
                       .old_values = std::move(valued.values),
                       .returns = std::move(gae.returns)});
  }
  if (packed.played.num_queries >= 2) {
    std::vector<std::vector<double>> white = whitened(raw, masks);
    for (std::size_t n = 0; n < lessons.size(); ++n) {
      lessons[n].policy.advantages = std::move(white[n]);
    }
  }
  return lessons;
}

CriticStep step_critic(TrainableModel& critic,
                       std::span<const PpoLesson* const> lessons,
                       const CriticTrainingConfig& config,
                       std::size_t tokens_per_micro_batch,
                       const UpdateControl& control) {
  std::vector<const Episode*> episodes;
  for (const PpoLesson* lesson : lessons) {
    episodes.push_back(lesson->policy.episode);
  }
  const PackedEpisodes packed = internal::pack_with_places(episodes, tokens_per_micro_batch);
  const auto count = static_cast<double>(packed.played.num_queries);
  const auto loss_of = [&](const SamplePlace& place, std::size_t i, double logprob) {
    const PpoLesson& lesson = *lessons[place.episode];
    return clipped_value_loss(critic_value(logprob, config.question),
                              lesson.old_values[place.first + i],
                              lesson.returns[place.first + i],
                              config.value_loss);
  };
  const auto scores = critic.accumulate(
      critic_batches(packed.played, config.question),
      [&](std::size_t b, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (const SamplePlace& place : packed.of_batch[b]) {
          for (std::size_t i = 0; i < place.count; ++i) {
            const double logprob = of_batch[place.begin + i].logprob;
            const double d_value = loss_of(place, i, logprob).d_value / count;
            gradient[place.begin + i].logprob =
                static_cast<float>(critic_gradient(logprob, d_value, config.question));
          }
        }
        return gradient;
      });
  CriticStep out;
  std::vector<double> returns;
  std::vector<double> errors;
  for (const SamplePlace& place : packed.played.places) {
    for (std::size_t i = 0; i < place.count; ++i) {
      const double logprob = scores[place.batch][place.begin + i].logprob;
      const ValueTokenLoss loss = loss_of(place, i, logprob);
      out.loss += loss.loss / count;
      out.clipped_share += (loss.clipped ? 1.0 : 0.0) / count;
      returns.push_back(lessons[place.episode]->returns[place.first + i]);
      errors.push_back(returns.back() - critic_value(logprob, config.question));
    }
  }
  out.explained_variance = explained_variance(returns, errors);
  out.update = guarded_update(critic, config.optimizer, control);
  return out;
}

}  // namespace dreamgym
