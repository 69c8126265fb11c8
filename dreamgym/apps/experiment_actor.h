// A policy or an experience model ready to act, and a policy ready to learn: weights with gradients
// beside the engine that samples from them.
#pragma once

#include <memory>

#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/policy_model.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

struct Experiment::Actor {
  /// An experience model: exact numbers, whatever the policies have.
  Actor(const ModelFiles& files, const ExperimentConfig& config)
      : Actor(policy_of(files),
              EngineConfig{.num_threads = config.threads,
                           .cache_budget_bytes = config.cache_megabytes << 20}) {}
  /// A policy.
  Actor(PolicyModel its_policy, const ExperimentConfig& config)
      : Actor(std::move(its_policy),
              EngineConfig{.num_threads = config.threads,
                           .cache_budget_bytes = config.cache_megabytes << 20,
                           .weights = config.policy.weights,
                           .cache = config.policy.cache}) {}
  Actor(PolicyModel its_policy, EngineConfig engine_config)
      : policy(std::move(its_policy)),
        tokenizer(policy.language.tokenizer),
        engine(policy.model.weights, tokenizer, std::move(engine_config)) {
    give_adapter(policy.model.adapter, engine);
  }

  PolicyModel policy;
  std::shared_ptr<const Tokenizer> tokenizer;
  GenerationEngine engine;
};

struct Experiment::Learner : Experiment::Actor {
  Learner(PolicyModel its_policy, const ExperimentConfig& config, std::uint64_t seed)
      : Actor(ready_to_train(std::move(its_policy), config.policy), config),
        model(trainable_policy(policy, config.policy, seed, config.threads)) {
    policy.model.weights.arrays.clear();  // engine and model have their own
  }

  TrainableModel model;
};

}  // namespace dreamgym
