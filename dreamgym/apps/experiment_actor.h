// A policy or an experience model ready to act and to learn: weights with gradients, and the engine
// that samples from them.
#pragma once

#include <memory>

#include "dreamgym/apps/experiment.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

struct Experiment::Actor {
  Actor(const ModelFiles& files, const ExperimentConfig& config)
      : tokenizer(files.tokenizer),
        model(files.weights, config.threads),
        engine(files.weights,
               files.tokenizer,
               {.num_threads = config.threads,
                .cache_budget_bytes = config.cache_megabytes << 20}) {}

  std::shared_ptr<const BpeTokenizer> tokenizer;
  TrainableModel model;
  GenerationEngine engine;
};

}  // namespace dreamgym
