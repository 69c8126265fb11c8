#include "dreamgym/train/policy_update.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/packed_episodes.h"

namespace dreamgym {
namespace {

using internal::EpisodePlace;
using internal::PackedEpisodes;
using Scores = std::vector<std::vector<TokenScore>>;

std::vector<const Episode*> episodes_of(std::span<const PolicyLesson* const> lessons) {
  std::vector<const Episode*> out;
  for (const PolicyLesson* lesson : lessons) {
    out.push_back(lesson->episode);
  }
  return out;
}

// An episode's tokens as the objective wants them.
PolicySequence sequence_of(const PackedEpisodes& packed,
                           const EpisodePlace& place,
                           const PolicyLesson& lesson,
                           std::span<const TokenScore> scores,
                           const Scores& reference) {
  check(lesson.advantages.size() == place.count, "an advantage for each chosen token");
  PolicySequence sequence;
  sequence.completion_mask.assign(place.count, true);
  for (std::size_t i = 0; i < place.count; ++i) {
    const std::size_t q = place.begin + i;
    sequence.entropies.push_back(scores[q].entropy);
    sequence.tokens.push_back(
        {.logprob = scores[q].logprob,
         .old_logprob = lesson.old_logprobs.empty() ? packed.played.old_logprobs[place.batch][q]
                                                    : lesson.old_logprobs[i],
         .reference_logprob = reference.empty() ? 0.0 : reference[place.batch][q].logprob,
         .advantage = lesson.advantages[i],
         .weight = lesson.weights.empty() ? 1.0 : lesson.weights[i]});
  }
  return sequence;
}

template <class Model>
std::vector<std::vector<double>> scores_of(const Model& model,
                                           std::span<const Episode* const> episodes,
                                           std::size_t tokens_per_micro_batch) {
  const PackedEpisodes packed = internal::pack_with_places(episodes, tokens_per_micro_batch);
  const Scores scores = model.score(packed.played.batches);
  std::vector<std::vector<double>> out(episodes.size());
  for (const EpisodePlace& place : packed.places) {
    for (std::size_t i = 0; i < place.count; ++i) {
      out[place.episode].push_back(scores[place.batch][place.begin + i].logprob);
    }
  }
  return out;
}

}  // namespace

PolicyStep step_policy(TrainableModel& policy,
                       const ReferencePolicy* reference,
                       std::span<const PolicyLesson* const> lessons,
                       const PolicyStepConfig& config) {
  const PackedEpisodes packed =
      internal::pack_with_places(episodes_of(lessons), config.tokens_per_micro_batch);
  PolicyStep out;
  if (packed.played.num_queries == 0) {
    return out;
  }
  const BatchCounts whole = internal::counts_of(packed);
  const Scores reference_scores =
      reference != nullptr ? reference->score(packed.played.batches) : Scores{};
  const auto objective = [&](const EpisodePlace& place, std::span<const TokenScore> scores) {
    return policy_objective(
        sequence_of(packed, place, *lessons[place.episode], scores, reference_scores),
        whole,
        config.objective);
  };
  const Scores scores = policy.accumulate(
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
  for (const EpisodePlace& place : packed.places) {
    out.sums += objective(place, scores[place.batch]).sums;
  }
  out.tokens = packed.played.num_tokens;
  out.update = policy.update(config.optimizer, config.rate_share);
  return out;
}

std::vector<std::vector<double>> score_episodes(const TrainableModel& model,
                                                std::span<const Episode* const> episodes,
                                                std::size_t tokens_per_micro_batch) {
  return scores_of(model, episodes, tokens_per_micro_batch);
}

std::vector<std::vector<double>> score_episodes(const ReferencePolicy& model,
                                                std::span<const Episode* const> episodes,
                                                std::size_t tokens_per_micro_batch) {
  return scores_of(model, episodes, tokens_per_micro_batch);
}

std::vector<double> sampled_logprobs(const Episode& episode) {
  std::vector<double> out;
  for (std::size_t i = 1; i < episode.ledger.size(); ++i) {
    if (episode.ledger.trainable(i)) {
      out.push_back(episode.ledger.logprob(i));
    }
  }
  return out;
}

}  // namespace dreamgym
