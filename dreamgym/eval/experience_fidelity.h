// How faithful an experience model is: on held-out real transitions (one step, true history), in free
// running (environment luck) and replayed in reality.
//
// Source: the measures of lessons D17 and Word2World's sim-step / sim-to-real; DreamGym measures none.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/env/action_mapper.h"
#include "dreamgym/eval/statistics.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

/// Shares of steps of one kind that the model got right.
struct StepAccuracy {
  std::size_t steps = 0;
  std::size_t observation_exact = 0;  ///< the next observation, character for character
  std::size_t trace_exact = 0;
  std::size_t admissible_exact = 0;   ///< the set of candidate actions that follows from it
};

/// One predicted step, for questions of detail: by step, by similarity, by confidence.
struct StepPrediction {
  std::size_t episode = 0;         ///< number of the held-out trajectory
  std::size_t step = 0;            ///< from 0
  bool hidden = false;             ///< shows contents nobody has seen
  bool exact = false;              ///< the observation, character for character
  bool reward_correct = false;
  double confidence = 0;           ///< probability the model gave its whole reply
  std::optional<double> similarity{};  ///< of the most similar transition retrieved
};

struct ExperienceFidelity {
  StepAccuracy predictable;           ///< determined by what the episode has shown
  StepAccuracy revisited;             ///< of these, second looks at what was shown before: memory
  StepAccuracy hidden;                ///< contents nobody has seen: can't be known, only plausible
  std::size_t unparsable = 0;
  std::size_t reward_correct = 0;
  std::size_t end_correct = 0;
  std::size_t true_successes = 0;     ///< steps that really succeed
  std::size_t missed_successes = 0;   ///< of these, not predicted
  std::size_t false_successes = 0;    ///< predicted where there is none
  std::vector<StepPrediction> predictions;  ///< of every step asked about
  std::vector<std::string> misses;    ///< a few wrong predictable steps: "action | expected | got"

  [[nodiscard]] std::size_t steps() const { return predictable.steps + hidden.steps; }
};

/// Predicts every step of the (explained) trajectories from its true history, greedily.
/// @param mappers  for the admissible sets; null = not measured.
/// @param rule     decides about rewards where options.reward_by_rule says so.
ExperienceFidelity measure_fidelity(LanguageModel& model,
                                    std::shared_ptr<const Tokenizer> tokenizer,
                                    const ReplayBuffer* buffer,
                                    const ExperienceOptions& options,
                                    std::span<const Trajectory> held_out,
                                    const ActionMapperFactory* mappers,
                                    const EpisodeAuditor* rule = nullptr);

struct EnvironmentLuck {
  std::size_t episodes = 0;
  double return_deviation = 0;  ///< mean over episodes of the std of the return, as dreamed and over replays
  double flipped_share = 0;     ///< of episodes whose return is not the same every time
};

/// Replays the actions of dreamed episodes in the dream under other world seeds.
EnvironmentLuck measure_environment_luck(EnvironmentBatch& dream,
                                         std::span<const Episode> dreamed,
                                         std::size_t num_replays,
                                         const Rng& rng);

struct DreamToReal {
  std::size_t episodes = 0;
  std::size_t dreamed_successes = 0;
  std::size_t real_successes = 0;         ///< of all replayed episodes
  std::size_t confirmed_successes = 0;    ///< dreamed successes that really succeed
  std::size_t steps = 0;
  std::size_t same_observation = 0;       ///< steps whose real observation is the dreamed one
  /// The same by step index: how a dream drifts from reality as it goes on.
  std::vector<std::size_t> steps_at{};
  std::vector<std::size_t> same_at{};
};

/// Replays the actions of dreamed episodes in reality (same tasks).
DreamToReal replay_in_reality(EnvironmentBatch& reality, std::span<const Episode> dreamed);

}  // namespace dreamgym
