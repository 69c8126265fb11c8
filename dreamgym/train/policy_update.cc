#include "dreamgym/train/policy_update.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/packed_episodes.h"

namespace dreamgym {
namespace {

using internal::PackedEpisodes;
using Scores = std::vector<std::vector<TokenScore>>;

std::vector<const Episode*> episodes_of(std::span<const PolicyLesson* const> lessons) {
  std::vector<const Episode*> out;
  for (const PolicyLesson* lesson : lessons) {
    out.push_back(lesson->episode);
  }
  return out;
}

// A context's tokens as the objective wants them.
PolicySequence sequence_of(const PackedEpisodes& packed,
                           const SamplePlace& place,
                           const PolicyLesson& lesson,
                           std::span<const TokenScore> scores,
                           const Scores& reference) {
  check(lesson.advantages.size() == packed.num_choices[place.episode],
        "an advantage for each chosen token");
  PolicySequence sequence;
  sequence.completion_mask.assign(place.count, true);
  for (std::size_t i = 0; i < place.count; ++i) {
    const std::size_t q = place.begin + i;
    const std::size_t t = place.first + i;
    sequence.entropies.push_back(scores[q].entropy);
    sequence.tokens.push_back(
        {.logprob = scores[q].logprob,
         .old_logprob = lesson.old_logprobs.empty() ? packed.played.old_logprobs[place.batch][q]
                                                    : lesson.old_logprobs[t],
         .reference_logprob = reference.empty() ? 0.0 : reference[place.batch][q].logprob,
         .advantage = lesson.advantages[t],
         .weight = lesson.weights.empty() ? 1.0 : lesson.weights[t]});
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
  for (const SamplePlace& place : packed.played.places) {
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
  const BatchCounts whole = internal::counts_of(packed, config.count_every_context);
  const Scores reference_scores =
      reference != nullptr ? reference->score(packed.played.batches) : Scores{};
  const auto objective = [&](const SamplePlace& place, std::span<const TokenScore> scores) {
    PolicySequence sequence =
        sequence_of(packed, place, *lessons[place.episode], scores, reference_scores);
    if (!config.count_every_context) {
      sequence.counted_tokens = packed.num_choices[place.episode];
    }
    return policy_objective(sequence, whole, config.objective);
  };
  const Scores scores = policy.accumulate(
      packed.played.batches, [&](std::size_t b, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (const SamplePlace& place : packed.of_batch[b]) {
          const PolicyObjective of_episode = objective(place, of_batch);
          for (std::size_t i = 0; i < place.count; ++i) {
            gradient[place.begin + i] = {.logprob = static_cast<float>(of_episode.d_logprob[i]),
                                         .entropy = static_cast<float>(of_episode.d_entropy[i])};
          }
        }
        return gradient;
      });
  for (const SamplePlace& place : packed.played.places) {
    out.sums += objective(place, scores[place.batch]).sums;
    for (std::size_t q = place.begin; q < place.begin + place.count; ++q) {
      out.logprobs.push_back(scores[place.batch][q].logprob);
      out.sampled_logprobs.push_back(packed.played.old_logprobs[place.batch][q]);
    }
  }
  out.tokens = packed.played.num_tokens;
  out.update = guarded_update(policy, config.optimizer, config.control);
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
  for (const TokenLedger& ledger : episode.ledgers) {
    for (std::size_t i = 1; i < ledger.size(); ++i) {
      if (ledger.trainable(i)) {
        out.push_back(ledger.logprob(i));
      }
    }
  }
  return out;
}

std::vector<std::size_t> choices_of_contexts(const Episode& episode) {
  std::vector<std::size_t> out;
  for (const TokenLedger& ledger : episode.ledgers) {
    std::size_t& count = out.emplace_back(0);
    for (std::size_t i = 1; i < ledger.size(); ++i) {
      count += ledger.trainable(i) ? 1 : 0;
    }
  }
  return out;
}

}  // namespace dreamgym
