// GRPO: group-relative policy optimisation, in the dream or in the real world by the same code.
//
// One iteration: the curriculum names tasks; each is played by a group of episodes; an episode's
// advantage is its return relative to its group; the policy takes a few clipped gradient steps on the
// tokens it chose; what was seen goes to the listener (replay buffer, logs); every few iterations the
// policy is validated and the best one kept.
// Source: GRPO (arXiv 2402.03300); DreamGym (arXiv 2511.03773) sections 4.2-4.3.
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
#include "dreamgym/train/checkpoint.h"
#include "dreamgym/train/policy_loss.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

struct GrpoConfig {
  std::size_t iterations = 24;
  std::size_t tasks_per_iteration = 12;
  std::size_t group_size = 8;                 ///< G >= 2
  std::size_t mini_batches = 2;               ///< optimiser steps per iteration
  PolicyLossConfig loss;
  OptimizerConfig optimizer = {.learning_rate = 2e-4, .weight_decay = 0.0};
  double step_weight = 0.0;                   ///< GiGPO: of the step advantages; 0 = GRPO
  double step_discount = 0.95;                ///< GiGPO: of the return to go, in [0, 1]
  std::size_t passes = 1;                     ///< over the same episodes, mini-batches drawn anew
  double temperature = 1.0;                   ///< of the actions while training
  std::size_t max_steps = 30;                 ///< per episode
  std::size_t tokens_per_micro_batch = 4096;
  /// Environment steps that may be taken in all; never exceeded: the last iterations play fewer
  /// groups, and training ends when not even one full group fits. 0 = no limit.
  std::size_t step_budget = 0;
  std::size_t validate_every = 4;             ///< iterations; 0 = never (the last policy is kept)
  std::size_t checkpoint_every = 1;           ///< iterations
};

/// The policy that learns: weights with gradients, the engine that samples from them, the tokenizer.
struct Policy {
  TrainableModel& model;
  GenerationEngine& engine;
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// Where episodes are played.
struct Playground {
  EnvironmentBatch& environment;
  const ActionMapperFactory* mappers;         ///< null = candidates from the observation
  Provenance provenance = Provenance::kReal;
  std::string simulator_version;
};

struct GrpoReport {
  std::size_t iterations = 0;
  std::size_t environment_steps = 0;
  std::size_t episodes = 0;
  std::size_t sampled_tokens = 0;
  std::size_t trained_tokens = 0;
  std::size_t skipped_updates = 0;   ///< non-finite gradient
  std::size_t idle_iterations = 0;   ///< no group had variance: nothing to learn
  std::size_t best_iteration = 0;    ///< of the policy that was kept
  double best_validation = 0;
  // Wall time of this process (not of a run it resumed).
  double environment_seconds = 0;    ///< reset and step of the playground
  double agent_seconds = 0;          ///< the policy's decisions
  double update_seconds = 0;         ///< gradients and optimiser
};

class GrpoTrainer {
 public:
  /// All references are borrowed.
  GrpoTrainer(Policy policy,
              TaskCurriculum& curriculum,
              Playground playground,
              GrpoConfig config,
              const Rng& rng);

  /// Success rate of the engine's present policy in [0, 1]; used to keep the best.
  std::function<double()> validate;
  TrainingListener* listener = nullptr;       ///< borrowed
  ProgressSink* progress = nullptr;           ///< borrowed
  std::optional<Path> checkpoints;            ///< folder to save to and resume from

  /// Trains; model and engine end up holding the policy that was kept.
  GrpoReport run(const std::string& phase);

 private:
  [[nodiscard]] std::size_t groups_that_fit() const;
  std::vector<Episode> play(const std::vector<Task>& tasks);
  void learn(const std::vector<Episode>& episodes);
  void take_reference(std::string weights);
  /// Advantage of each step of each episode.
  using StepAdvantages = std::vector<std::vector<double>>;
  [[nodiscard]] StepAdvantages advantages_of(std::span<const Episode> episodes) const;
  void step(const std::vector<const Episode*>& episodes, const StepAdvantages& advantages);
  void keep_best();
  void publish(const std::string& version);
  void save() const;
  bool resume();
  [[nodiscard]] std::string version() const;

  Policy policy_;
  TaskCurriculum& curriculum_;
  Playground playground_;
  GrpoConfig config_;
  Rng rng_;
  std::string phase_;
  GrpoReport report_;
  std::string best_weights_;
  std::string reference_weights_;             // empty without a KL term
  std::unique_ptr<TrainableModel> reference_;
  std::map<std::string, double> metrics_;     // of the present iteration
};

}  // namespace dreamgym
