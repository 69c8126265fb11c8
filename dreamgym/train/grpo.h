// Training by comparison of episodes with their siblings: GRPO and its kin (Dr.GRPO, RLOO, GiGPO,
// REINFORCE++, and the losses of DAPO, GSPO and CISPO), in the dream or in reality by the same code.
//
// In an iteration (the loop is policy_trainer.h's) each task is played by a group of episodes; what
// an episode's choices were worth is a comparison (policy_advantages.h); the policy takes a few
// gradient steps on the tokens it chose (policy_objective.h).
// Source: GRPO (arXiv 2402.03300); DreamGym (arXiv 2511.03773) sections 4.2-4.3.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/train/policy_trainer.h"

namespace dreamgym {

class GrpoTrainer final : public PolicyTrainer {
 public:
  /// All references are borrowed.
  /// @throws Error kInvalidArgument for groups of one episode with an estimator that compares
  ///               within groups, and as PolicyTrainer.
  GrpoTrainer(Policy policy,
              TaskCurriculum& curriculum,
              Playground playground,
              const PolicyTrainingConfig& config,
              const Rng& rng);

 private:
  void learn(const std::vector<Episode>& episodes) override;
  std::string remark() override;
};

}  // namespace dreamgym
