// PPO: proximal policy optimisation with a learned critic, in the dream or in the real world by the
// same code.
//
// In an iteration (the loop is policy_trainer.h's) each task is played once; the critic says what every
// prefix was worth; GAE over the tokens the policy chose makes advantages, whitened over the iteration;
// the policy and the critic take a few clipped gradient steps. Unlike grpo it needs no siblings, but its critic must first
// learn something: during the warm-up only the critic does.
//
// Source: PPO (arXiv 1707.06347); DreamGym (arXiv 2511.03773) section 4.3; verl's critic warm-up.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/train/policy_trainer.h"
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

using PpoReport = PolicyReport;

/// The policy that learns and the critic that judges it, both trained in place.
struct ActorCritic {
  Policy policy;
  TrainableModel& critic;  ///< of the policy's vocabulary, e.g. a copy of its weights
};

/// Thread safety: none. Lifetime: all references are borrowed.
class PpoTrainer final : public PolicyTrainer {
 public:
  /// @throws Error kInvalidArgument if the critic's vocabulary is another, or the config out of
  ///               range.
  PpoTrainer(ActorCritic models,
             TaskCurriculum& curriculum,
             Playground playground,
             PpoConfig config,
             const Rng& rng);

 private:
  void learn(const std::vector<Episode>& episodes) override;
  std::string remark() override;
  void save_more(Blobs& blobs) const override;
  void restore_more(const Blobs& blobs) override;
  void update_curriculum(const std::vector<Episode>& episodes);
  void note(const PolicyStep& step);
  void note(const CriticStep& step);

  TrainableModel& critic_;
  PpoConfig config_;
};

}  // namespace dreamgym
