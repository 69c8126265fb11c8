#include "dreamgym/train/ppo_update.h"

#include <utility>

#include "dreamgym/train/episode_tokens.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/packing.h"
#include "dreamgym/train/reward_shaping.h"
#include "dreamgym/train/whitening.h"

namespace dreamgym {
namespace {

/// The queries of one episode; they lie side by side in one micro-batch, in the order of its
/// tokens.
struct EpisodePlace {
  std::size_t episode = 0;  // index among those packed
  std::size_t batch = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
};

struct PackedEpisodes {
  PlayedBatches played;
  std::vector<EpisodePlace> places;                 // in the order of the batches
  std::vector<std::vector<EpisodePlace>> of_batch;  // the same, by batch
};

PackedEpisodes pack(std::span<const Episode* const> episodes, std::size_t max_tokens) {
  PackedEpisodes out;
  out.played = pack_episodes(episodes, max_tokens);
  for (std::size_t b = 0; b < out.played.batches.size(); ++b) {
    auto& places = out.of_batch.emplace_back();
    for (std::size_t q = 0; q < out.played.episode[b].size(); ++q) {
      const std::size_t episode = out.played.episode[b][q];
      if (places.empty() || places.back().episode != episode) {
        places.push_back({.episode = episode, .batch = b, .begin = q, .count = 0});
      }
      ++places.back().count;
    }
    out.places.insert(out.places.end(), places.begin(), places.end());
  }
  return out;
}

PackedEpisodes pack(std::span<const PpoLesson* const> lessons, std::size_t max_tokens) {
  std::vector<const Episode*> episodes;
  for (const PpoLesson* lesson : lessons) {
    episodes.push_back(lesson->episode);
  }
  return pack(episodes, max_tokens);
}

BatchCounts counts_of(const PackedEpisodes& packed) {
  std::vector<std::size_t> lengths;
  for (const EpisodePlace& place : packed.places) {
    lengths.push_back(place.count);
  }
  return count_batch(lengths);
}

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
                                   const TrainableModel& critic,
                                   const PpoUpdateConfig& config) {
  std::vector<const Episode*> pointers;
  for (const Episode& episode : episodes) {
    pointers.push_back(&episode);
  }
  const PackedEpisodes packed =
      pack(std::span<const Episode* const>(pointers), config.tokens_per_micro_batch);
  const auto scores = critic.score(critic_batches(packed.played, config.critic));

  std::vector<PpoLesson> lessons;
  std::vector<std::vector<double>> raw;
  std::vector<std::vector<bool>> masks;
  for (const EpisodePlace& place : packed.places) {
    const Episode& episode = episodes[place.episode];
    EpisodeTokens tokens = episode_tokens(
        episode.ledger, penalised_step_rewards(episode.trajectory, config.invalid_action_penalty));
    ValuedTokens valued = {.rewards = std::move(tokens.rewards),
                           .values = {},
                           .completion_mask = std::vector<bool>(place.count, true),
                           .turns = std::move(tokens.turns)};
    for (std::size_t i = 0; i < place.count; ++i) {
      const double logprob = scores[place.batch][place.begin + i].logprob;
      valued.values.push_back(critic_value(logprob, config.critic));
    }
    TokenAdvantages gae =
        config.two_level ? two_level_gae(valued, config.gae) : token_gae(valued, config.gae.tokens);
    raw.push_back(std::move(gae.advantages));
    masks.push_back(std::move(valued.completion_mask));
    lessons.push_back({.episode = &episode,
                       .advantages = std::vector<double>(place.count, 0.0),
                       .old_values = std::move(valued.values),
                       .returns = std::move(gae.returns)});
  }
  if (packed.played.num_queries >= 2) {
    std::vector<std::vector<double>> white = whitened(raw, masks);
    for (std::size_t n = 0; n < lessons.size(); ++n) {
      lessons[n].advantages = std::move(white[n]);
    }
  }
  return lessons;
}

PolicyStep step_policy(TrainableModel& policy,
                       const TrainableModel* reference,
                       std::span<const PpoLesson* const> lessons,
                       const PpoUpdateConfig& config) {
  const PackedEpisodes packed = pack(lessons, config.tokens_per_micro_batch);
  const BatchCounts whole = counts_of(packed);
  const auto reference_scores = reference != nullptr ? reference->score(packed.played.batches)
                                                     : std::vector<std::vector<TokenScore>>{};
  const auto objective = [&](const EpisodePlace& place, std::span<const TokenScore> scores) {
    PolicySequence sequence;
    sequence.completion_mask.assign(place.count, true);
    for (std::size_t i = 0; i < place.count; ++i) {
      const std::size_t q = place.begin + i;
      sequence.entropies.push_back(scores[q].entropy);
      sequence.tokens.push_back(
          {.logprob = scores[q].logprob,
           .old_logprob = packed.played.old_logprobs[place.batch][q],
           .reference_logprob =
               reference_scores.empty() ? 0.0 : reference_scores[place.batch][q].logprob,
           .advantage = lessons[place.episode]->advantages[i],
           .weight = 1.0});
    }
    return policy_objective(sequence, whole, config.objective);
  };
  const auto scores = policy.accumulate(
      packed.played.batches, [&](std::size_t b, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (const EpisodePlace& place : packed.of_batch[b]) {
          const PolicyObjective of_episode = objective(place, of_batch);
          for (std::size_t i = 0; i < place.count; ++i) {
            gradient[place.begin + i] = {.logprob = static_cast<float>(of_episode.d_logprob[i]),
                                         .entropy = static_cast<float>(of_episode.d_entropy[i])};
          }
        }
        return gradient;
      });
  PolicyStep out;
  for (const EpisodePlace& place : packed.places) {
    out.sums += objective(place, scores[place.batch]).sums;
  }
  out.tokens = packed.played.num_tokens;
  out.update = policy.update(config.optimizer);
  return out;
}

CriticStep step_critic(TrainableModel& critic,
                       std::span<const PpoLesson* const> lessons,
                       const PpoUpdateConfig& config) {
  const PackedEpisodes packed = pack(lessons, config.tokens_per_micro_batch);
  const auto count = static_cast<double>(packed.played.num_queries);
  const auto loss_of = [&](const EpisodePlace& place, std::size_t i, double logprob) {
    const PpoLesson& lesson = *lessons[place.episode];
    return clipped_value_loss(critic_value(logprob, config.critic),
                              lesson.old_values[i],
                              lesson.returns[i],
                              config.value_loss);
  };
  const auto scores = critic.accumulate(
      critic_batches(packed.played, config.critic),
      [&](std::size_t b, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (const EpisodePlace& place : packed.of_batch[b]) {
          for (std::size_t i = 0; i < place.count; ++i) {
            const double logprob = of_batch[place.begin + i].logprob;
            const double d_value = loss_of(place, i, logprob).d_value / count;
            gradient[place.begin + i].logprob =
                static_cast<float>(critic_gradient(logprob, d_value, config.critic));
          }
        }
        return gradient;
      });
  CriticStep out;
  std::vector<double> returns;
  std::vector<double> errors;
  for (const EpisodePlace& place : packed.places) {
    for (std::size_t i = 0; i < place.count; ++i) {
      const double logprob = scores[place.batch][place.begin + i].logprob;
      const ValueTokenLoss loss = loss_of(place, i, logprob);
      out.loss += loss.loss / count;
      out.clipped_share += (loss.clipped ? 1.0 : 0.0) / count;
      returns.push_back(lessons[place.episode]->returns[i]);
      errors.push_back(returns.back() - critic_value(logprob, config.critic));
    }
  }
  out.explained_variance = explained_variance(returns, errors);
  out.update = critic.update(config.critic_optimizer);
  return out;
}

}  // namespace dreamgym
