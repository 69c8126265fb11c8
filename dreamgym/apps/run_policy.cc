#include "dreamgym/apps/run_policy.h"

#include "dreamgym/apps/policy_collect.h"
#include "dreamgym/apps/run_files.h"

namespace dreamgym {

RunPolicy::RunPolicy(const Path& policy, const ExperimentConfig& config, std::size_t threads)
    : policy_(load_run_policy(policy_folder(policy.string()))),
      engine_(policy_.model.weights,
              policy_.language.tokenizer,
              {.num_threads = threads,
               .weights = config.policy.weights,
               .cache = config.policy.cache}),
      agent_(engine_,
             policy_.prompt,
             {.temperature = config.evaluation.temperature,
              .history_steps = config.agent.history_steps}) {
  give_adapter(policy_.model.adapter, engine_);
  policy_.model.weights.arrays.clear();  // the engine has its own
}

}  // namespace dreamgym
