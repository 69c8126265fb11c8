// PPO: proximal policy optimisation with a learned critic, in the dream or in the real world by the
// same code.
//
// One iteration: the curriculum names tasks; each is played once; the critic says what every prefix
// was worth; GAE over the tokens the policy chose makes advantages, whitened over the iteration;
// the policy and the critic take a few clipped gradient steps; every few iterations the policy is
// validated and the best one kept. Unlike grpo it needs no siblings, but its critic must first
// learn something: during the warm-up only the critic does.
//
// Source: PPO (arXiv 1707.06347); DreamGym (arXiv 2511.03773) section 4.3; verl's critic warm-up.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/train/grpo.h"
#include "dreamgym/train/ppo_update.h"

namespace dreamgym {

struct PpoConfig {
  std::size_t iterations = 24;
  std::size_t tasks_per_iteration = 96;  ///< one episode each
  std::size_t epochs = 1;                ///< passes over an iteration's episodes, >= 1
  std::size_t mini_batches = 2;          ///< optimiser steps per pass, >= 1
  std::size_t critic_warmup = 2;         ///< iterations in which only the critic learns
  PpoUpdateConfig update;
  double temperature = 1.0;    ///< of the actions while training
  std::size_t max_steps = 30;  ///< per episode
  /// Environment steps that may be taken in all; never exceeded: the last iterations play fewer
  /// episodes, and training ends when not even one fits. 0 = no limit.
  std::size_t step_budget = 0;
  std::size_t validate_every = 4;    ///< iterations; 0 = never (the last policy is kept)
  std::size_t checkpoint_every = 1;  ///< iterations
};

struct PpoReport {
  std::size_t iterations = 0;
  std::size_t environment_steps = 0;
  std::size_t episodes = 0;
  std::size_t sampled_tokens = 0;
  std::size_t trained_tokens = 0;   ///< by the policy; the critic computes as many
  std::size_t skipped_updates = 0;  ///< non-finite gradient, of policy or critic
  std::size_t best_iteration = 0;   ///< of the policy that was kept
  double best_validation = 0;
  // Wall time of this process (not of a run it resumed).
  double environment_seconds = 0;
  double agent_seconds = 0;
  double update_seconds = 0;  ///< values, gradients and optimisers
};

/// The policy that learns and the critic that judges it, both trained in place.
struct ActorCritic {
  Policy policy;
  TrainableModel& critic;  ///< of the policy's vocabulary, e.g. a copy of its weights
};

/// Thread safety: none. Lifetime: all references are borrowed.
class PpoTrainer {
 public:
  /// @throws Error kInvalidArgument if the critic's vocabulary is another, or the config out of
  ///               range.
  PpoTrainer(ActorCritic models,
             TaskCurriculum& curriculum,
             Playground playground,
             PpoConfig config,
             const Rng& rng);

  /// Success rate of the engine's present policy in [0, 1]; used to keep the best.
  std::function<double()> validate;
  TrainingListener* listener = nullptr;  ///< borrowed
  ProgressSink* progress = nullptr;      ///< borrowed
  std::optional<Path> checkpoints;       ///< folder to save to and resume from

  /// Trains; model and engine end up holding the policy that was kept.
  PpoReport run(const std::string& phase);

 private:
  [[nodiscard]] std::size_t episodes_that_fit() const;
  std::vector<Episode> play(const std::vector<Task>& tasks);
  void update_curriculum(const std::vector<Episode>& episodes);
  void learn(const std::vector<Episode>& episodes);
  void note(const PolicyStep& step);
  void note(const CriticStep& step);
  void take_reference(std::string weights);
  void keep_best();
  void publish(const std::string& version);
  void save() const;
  bool resume();
  [[nodiscard]] std::string version() const;

  Policy policy_;
  TrainableModel& critic_;
  TaskCurriculum& curriculum_;
  Playground playground_;
  PpoConfig config_;
  Rng rng_;
  std::string phase_;
  PpoReport report_;
  std::string best_weights_;
  std::string reference_weights_;  // empty without a KL term
  std::unique_ptr<TrainableModel> reference_;
  std::map<std::string, double> metrics_;  // of the present iteration
};

}  // namespace dreamgym
