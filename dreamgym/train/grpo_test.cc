#include "dreamgym/train/grpo.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/train/model_state.h"
#include "tests/temporary_folder.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

// A bandit with words: one of the buttons wins, and the room says which.
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

std::vector<Task> button_tasks() {
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

struct Lab {
  explicit Lab(std::size_t threads = 1)
      : tokenizer(test_tokenizer({"press the red 1", "press the blue 1", "There is a red 1 and a blue 1.",
                                  "It clicks."})),
        start(weights()),
        model(start, threads),
        engine(start, tokenizer, {.num_threads = threads}),
        room([] { return std::make_unique<ButtonRoom>(); }, threads),
        curriculum(button_tasks(), {.generated_share = 0}, {}) {}

  TransformerWeights weights() const {
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
  GrpoTrainer trainer(GrpoConfig config) {
    return {{model, engine, tokenizer}, curriculum, {room, nullptr, Provenance::kReal, ""}, config, Rng(3)};
  }

  std::shared_ptr<const BpeTokenizer> tokenizer;
  TransformerWeights start;
  TrainableModel model;
  GenerationEngine engine;
  SingleEnvironmentBatch room;
  TaskCurriculum curriculum;
};

GrpoConfig small() {
  GrpoConfig config;
  config.iterations = 4;
  config.tasks_per_iteration = 2;
  config.group_size = 4;
  config.max_steps = 2;
  config.validate_every = 0;
  config.tokens_per_micro_batch = 100;
  config.optimizer.learning_rate = 3e-3;
  return config;
}

// Smoothed success at the first press after 40 iterations: 1 = always right, chance gives 0.5.
double learned(GrpoConfig config) {
  Lab lab;
  config.iterations = 40;
  config.group_size = 8;
  double last = 0;
  class Watch final : public TrainingListener {
   public:
    explicit Watch(double& success) : success_(success) {}
    void on_iteration(std::size_t, const std::vector<Episode>&, const std::map<std::string, double>& m) override {
      success_ = 0.7 * success_ + 0.3 * (2.0 - m.at("rollout/episode_length_steps"));
    }
    std::string save() const override { return ""; }
    void restore(const std::string&) override {}

   private:
    double& success_;
  } watch(last);
  GrpoTrainer trainer = lab.trainer(config);
  trainer.listener = &watch;
  (void)trainer.run("buttons");
  return last;
}

TEST(Grpo, LearnsToPressTheNamedButton) { EXPECT_GT(learned(small()), 0.9); }

TEST(Grpo, LearnsWithStepAdvantagesAndTwoPasses) {
  GrpoConfig config = small();
  config.step_weight = 1.0;
  config.passes = 2;
  EXPECT_GT(learned(config), 0.9);
}

TEST(Grpo, NeverExceedsItsStepBudget) {
  Lab lab;
  GrpoConfig config = small();
  config.iterations = 1000;
  config.step_budget = 37;
  const GrpoReport report = lab.trainer(config).run("budget");
  EXPECT_LE(report.environment_steps, 37U);
  EXPECT_GT(report.iterations, 1U);
}

TEST(Grpo, ResumedEqualsUninterruptedBitForBit) {
  Lab straight;
  (void)straight.trainer(small()).run("x");

  const TemporaryFolder folder;
  Lab first;
  {
    GrpoConfig shorter = small();
    shorter.iterations = 2;
    GrpoTrainer trainer = first.trainer(shorter);
    trainer.checkpoints = folder.path();
    (void)trainer.run("x");
  }
  Lab second;
  GrpoTrainer trainer = second.trainer(small());
  trainer.checkpoints = folder.path();
  const GrpoReport report = trainer.run("x");
  EXPECT_EQ(report.iterations, 4U);
  EXPECT_EQ(weight_bytes(second.model.weights("")), weight_bytes(straight.model.weights("")));
}

TEST(Grpo, IsTheSameOnOneAndOnTwoThreads) {
  Lab one(1);
  Lab two(2);
  (void)one.trainer(small()).run("x");
  (void)two.trainer(small()).run("x");
  EXPECT_EQ(weight_bytes(one.model.weights("")), weight_bytes(two.model.weights("")));
}

TEST(Grpo, ChangesNothingAtLearningRateZero) {
  Lab lab;
  GrpoConfig config = small();
  config.optimizer.learning_rate = 0;
  (void)lab.trainer(config).run("x");
  EXPECT_EQ(weight_bytes(lab.model.weights("")), weight_bytes(lab.start));
}

TEST(Grpo, TrainerAndEngineAgreeOnLogProbabilities) {
  // With a learning rate of 0 the KL to the sampling policy is the mismatch of the two.
  Lab lab;
  GrpoConfig config = small();
  config.optimizer.learning_rate = 0;
  config.group_size = 8;
  double worst = 0;
  class Watch final : public TrainingListener {
   public:
    explicit Watch(double& worst) : worst_(worst) {}
    void on_iteration(std::size_t, const std::vector<Episode>&, const std::map<std::string, double>& m) override {
      if (m.contains("train/kl_to_old_nats")) {
        worst_ = std::max(worst_, std::abs(m.at("train/kl_to_old_nats")));
      }
    }
    std::string save() const override { return ""; }
    void restore(const std::string&) override {}

   private:
    double& worst_;
  } watch(worst);
  GrpoTrainer trainer = lab.trainer(config);
  trainer.listener = &watch;
  (void)trainer.run("x");
  EXPECT_LT(worst, 1e-5);
}

TEST(Grpo, KeepsTheBestValidatedPolicy) {
  Lab lab;
  GrpoConfig config = small();
  config.validate_every = 1;
  GrpoTrainer trainer = lab.trainer(config);
  std::vector<double> scores = {0.1, 0.9, 0.2, 0.3, 0.4};
  std::size_t next = 0;
  std::string best;
  trainer.validate = [&] {
    if (next == 1) {
      best = weight_bytes(lab.model.weights(""));
    }
    return scores.at(next++);
  };
  const GrpoReport report = trainer.run("x");
  EXPECT_EQ(report.best_iteration, 1U);
  EXPECT_EQ(weight_bytes(lab.model.weights("")), best);
}

TEST(Grpo, PullsTowardsTheReferenceWithAKlTerm) {
  Lab lab;
  GrpoConfig config = small();
  config.loss.kl_coefficient = 0.5;
  EXPECT_EQ(lab.trainer(config).run("x").skipped_updates, 0U);
}

}  // namespace
}  // namespace dreamgym
