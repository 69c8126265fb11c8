// GRPO: group-relative policy optimisation, in the dream or in the real world by the same code.
//
// In an iteration (the loop is policy_trainer.h's) each task is played by a group of episodes; an episode's
// advantage is its return relative to its group; the policy takes a few clipped gradient steps on the
// tokens it chose.
// Source: GRPO (arXiv 2402.03300); DreamGym (arXiv 2511.03773) sections 4.2-4.3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dreamgym/train/policy_loss.h"
#include "dreamgym/train/policy_trainer.h"

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
  /// Iterations in which the learning rate rises to its value: the first steps of a fresh AdamW move every
  /// weight by the rate, whatever the gradient.
  std::size_t warmup_iterations = 0;
  double temperature = 1.0;                   ///< of the actions while training
  std::size_t max_steps = 30;                 ///< per episode
  std::size_t tokens_per_micro_batch = 4096;
  /// Environment steps that may be taken in all; never exceeded: the last iterations play fewer
  /// groups, and training ends when not even one full group fits. 0 = no limit.
  std::size_t step_budget = 0;
  std::size_t validate_every = 4;             ///< iterations; 0 = never (the last policy is kept)
  std::size_t checkpoint_every = 1;           ///< iterations
};

using GrpoReport = PolicyReport;

class GrpoTrainer final : public PolicyTrainer {
 public:
  /// All references are borrowed.
  GrpoTrainer(Policy policy,
              TaskCurriculum& curriculum,
              Playground playground,
              GrpoConfig config,
              const Rng& rng);

 private:
  /// Advantage of each step of each episode.
  using StepAdvantages = std::vector<std::vector<double>>;

  void learn(const std::vector<Episode>& episodes) override;
  std::string remark() override;
  [[nodiscard]] StepAdvantages advantages_of(std::span<const Episode> episodes) const;
  void step(const std::vector<const Episode*>& episodes, const StepAdvantages& advantages);

  GrpoConfig config_;
};

}  // namespace dreamgym
