// PPO: proximal policy optimisation with a learned critic, in the dream or in the real world by the
// same code.
//
// In an iteration (the loop is policy_trainer.h's) tasks are played, once each where group_size is
// 1; the critic says what every prefix was worth; GAE over the tokens the policy chose makes
// advantages, whitened over the iteration; policy and critic take a few clipped gradient steps.
// Unlike grpo it needs no siblings, but its critic must first learn something: during the warm-up
// only the critic does.
//
// Source: PPO (arXiv 1707.06347); DreamGym (arXiv 2511.03773) section 4.3; verl's critic warm-up.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/train/critic_update.h"
#include "dreamgym/train/policy_trainer.h"

namespace dreamgym {

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
             const PolicyTrainingConfig& config,
             const Rng& rng);

 private:
  void learn(const std::vector<Episode>& episodes) override;
  std::string remark() override;
  void save_more(Blobs& blobs) const override;
  void restore_more(const Blobs& blobs) override;
  void note(const CriticStep& step);

  TrainableModel& critic_;
};

}  // namespace dreamgym
