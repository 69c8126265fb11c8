// Plays the groups of a training iteration: names the tasks, plays each by a group of episodes, in
// one place or in two, and hands back what may be learnt from.
//
// Whatever it does is a function of the iteration's number, the policy of the engine and the
// curriculum's state. Real steps are counted where they are taken and never exceed the budget.
// Thread safety: none; may run on another thread than the trainer's as long as nobody else uses
// engine, curriculum and environments meanwhile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/policy_training_config.h"

namespace dreamgym {

/// The policy that learns: weights with gradients, the engine that samples from them, the
/// tokenizer.
struct Policy {
  TrainableModel& model;
  GenerationEngine& engine;
  std::shared_ptr<const Tokenizer> tokenizer;
  /// How its episodes read; null = in the markers of our own models.
  std::shared_ptr<const TurnPrompt> prompt = nullptr;
};

/// Where an environment's own time goes, in seconds since it was made.
struct EnvironmentTimes {
  double generation = 0;  ///< a dream's model
  double retrieval = 0;   ///< a dream's memory
};

/// Where episodes are played.
struct Playground {
  EnvironmentBatch& environment;
  const ActionMapperFactory* mappers;  ///< null = candidates from the observation
  Provenance provenance = Provenance::kReal;
  std::string simulator_version{};
  std::function<EnvironmentTimes()> times{};  ///< empty = neither
};

/// How patient a rollout is.
struct RolloutLimits {
  std::size_t retries = 2;     ///< of an episode whose environment failed
  double episode_seconds = 0;  ///< a longer one counts as failed environment; 0 = no limit
  double iteration_seconds = 0;  ///< of its rollout; what still runs then counts likewise
};

struct PlayedIteration {
  std::vector<Episode> episodes;  ///< members of a group side by side, Episode::group from 0
  std::size_t num_groups = 0;
  std::size_t steps = 0;          ///< environment steps in the first place, failed attempts included
  std::size_t second_steps = 0;   ///< in the second
  std::size_t num_played = 0;     ///< episodes, those left out by dynamic sampling included
  RolloutCost cost;               ///< of both places
  EnvironmentTimes inside;        ///< of its environment_seconds
  std::map<std::string, double> metrics;
};

class GroupPlayer {
 public:
  /// All references are borrowed.
  GroupPlayer(Policy policy,
              TaskCurriculum& curriculum,
              Playground playground,
              const PolicyTrainingConfig& config,
              const Rng& rng);

  /// Plays config.dream_share of the groups, kept exactly over the iterations, and every variation
  /// of a task; no budget counts its steps. The dream beside reality.
  std::optional<Playground> second;
  RolloutLimits limits;
  Watchdog* watchdog = nullptr;  ///< borrowed; may be null

  /// Groups that an iteration may play in the first place after so many steps there; 0 = the budget
  /// holds not even one.
  [[nodiscard]] std::size_t groups_that_fit(std::size_t steps_taken) const;

  /// @throws Error kIo if no group of the iteration could be played, saying what failed.
  PlayedIteration play(std::size_t iteration, std::size_t steps_taken);

 private:
  using Group = std::vector<Episode>;

  /// Groups of a round in each place.
  struct Split {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  [[nodiscard]] Split split(std::size_t iteration,
                            std::size_t round,
                            std::size_t count,
                            std::size_t steps_taken) const;
  std::vector<Group> play_round(std::vector<Task> tasks,
                                const Split& split,
                                const Rng& rng,
                                std::size_t steps_taken,
                                PlayedIteration& out);
  std::vector<Group> play_in(const Playground& place,
                             std::span<const Task> tasks,
                             const Rng& rng,
                             std::size_t retry_budget,
                             RolloutCost& cost,
                             EnvironmentTimes& inside);
  void tell_curriculum(const std::vector<Group>& groups);

  Policy policy_;
  TaskCurriculum& curriculum_;
  Playground playground_;
  PolicyTrainingConfig config_;
  Rng rng_;
};

}  // namespace dreamgym
