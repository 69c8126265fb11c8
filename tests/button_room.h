// A bandit with words, small enough to be learnt in a test: one of two buttons wins, and the task
// says which.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {

class ButtonRoom final : public Environment {
 public:
  Observation reset(const Task& task, std::uint64_t /*seed*/) override {
    wanted_ = "press " + task.settings.at("wanted");
    steps_ = 0;
    return {"There is a red 1 and a blue 1.", {"press red 1", "press blue 1"}};
  }
  StepResult step(const Action& action) override {
    StepResult result;
    result.observation = {"It clicks.", {"press red 1", "press blue 1"}};
    result.reward = action == wanted_ ? 1.0 : 0.0;
    result.terminated = action == wanted_ || ++steps_ == 2;
    return result;
  }

 private:
  std::string wanted_;
  int steps_ = 0;
};

inline std::vector<Task> button_tasks() {
  std::vector<Task> tasks;
  for (const char* wanted : {"red 1", "blue 1"}) {
    Task task;
    task.id = wanted;
    task.instruction = std::string("press the ") + wanted;
    task.settings["wanted"] = wanted;
    tasks.push_back(task);
  }
  return tasks;
}

/// The room, a small policy with its engine, and a critic that starts as a copy of it.
struct ButtonLab {
  explicit ButtonLab(std::size_t threads = 1)
      : tokenizer(test_tokenizer({"press the red 1",
                                  "press the blue 1",
                                  "There is a red 1 and a blue 1.",
                                  "It clicks."})),
        start(weights()),
        model(start, threads),
        critic(start, threads),
        engine(start, tokenizer, {.num_threads = threads}),
        room([] { return std::make_unique<ButtonRoom>(); }, threads),
        curriculum(button_tasks(), {.generated_share = 0}, {}) {}

  [[nodiscard]] TransformerWeights weights() const {
    TransformerConfig config;
    config.vocab_size = static_cast<std::int64_t>(tokenizer->vocabulary_size());
    config.hidden_size = 32;
    config.num_layers = 2;
    config.num_heads = 2;
    config.num_kv_heads = 1;
    config.head_dim = 16;
    config.intermediate_size = 48;
    return initial_weights(config, 7);
  }

  std::shared_ptr<const BpeTokenizer> tokenizer;
  TransformerWeights start;
  TrainableModel model;
  TrainableModel critic;
  GenerationEngine engine;
  SingleEnvironmentBatch room;
  TaskCurriculum curriculum;
};

}  // namespace dreamgym
