// The policy of a run folder, ready to act as it was trained: its model, its prompt, how much it sees.
//
// Thread safety: none.
#pragma once

#include "dreamgym/agent/token_agent.h"
#include "dreamgym/apps/policy_model.h"
#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {

class RunPolicy {
 public:
  /// @param policy  as policy_folder() takes it: RUN for the best policy it has, RUN/MODEL.
  /// @throws Error  kNotFound if there is none yet.
  RunPolicy(const Path& policy, const ExperimentConfig& config, std::size_t threads);

  [[nodiscard]] TokenAgent& agent() { return agent_; }

 private:
  PolicyModel policy_;
  GenerationEngine engine_;
  TokenAgent agent_;
};

}  // namespace dreamgym
