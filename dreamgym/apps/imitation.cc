#include "dreamgym/apps/imitation.h"

#include <utility>

namespace dreamgym {

SftReport imitate(PolicyModel policy,
                  const std::vector<Trajectory>& demonstrations,
                  const ExperimentConfig& config,
                  const SftConfig& sft,
                  const std::vector<TokenId>& names,
                  const Rng& rng,
                  const TrainingRun& run,
                  const Path& model) {
  const PolicyModel start = ready_to_train(std::move(policy), config.policy);
  TrainableModel learner =
      trainable_policy(start, config.policy, rng.fork(run.phase + " adapter").next(), config.threads);
  const TeachingPlan plan = epoch_plan(
      start.prompt->demonstrations(
          demonstrations, config.experience_data.max_tokens, config.agent.history_steps),
      sft,
      rng.fork(run.phase),
      start.language.pretrained ? std::vector<TokenId>() : names);
  SftReport report = train_sft(learner, plan, sft, run);
  save_policy(learner, start, run.phase, model);
  return report;
}

}  // namespace dreamgym
