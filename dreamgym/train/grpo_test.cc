#include "dreamgym/train/grpo.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/model_state.h"
#include "tests/button_room.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

GrpoTrainer trainer_in(ButtonLab& lab, const PolicyTrainingConfig& config) {
  return {{lab.model, lab.engine, lab.tokenizer},
          lab.curriculum,
          {lab.room, nullptr, Provenance::kReal, ""},
          config,
          Rng(3)};
}

PolicyTrainingConfig small() {
  PolicyTrainingConfig config;
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
double learned(PolicyTrainingConfig config) {
  ButtonLab lab;
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
  GrpoTrainer trainer = trainer_in(lab, config);
  trainer.listener = &watch;
  (void)trainer.run("buttons");
  return last;
}

TEST(Grpo, LearnsToPressTheNamedButton) { EXPECT_GT(learned(small()), 0.9); }

TEST(Grpo, LearnsWithStepAdvantagesAndTwoPasses) {
  PolicyTrainingConfig config = small();
  config.advantages.step_weight = 1.0;
  config.passes = 2;
  EXPECT_GT(learned(config), 0.9);
}

TEST(Grpo, NeverExceedsItsStepBudget) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.iterations = 1000;
  config.step_budget = 37;
  const PolicyReport report = trainer_in(lab, config).run("budget");
  EXPECT_LE(report.environment_steps, 37U);
  EXPECT_GT(report.iterations, 1U);
}

TEST(Grpo, ResumedEqualsUninterruptedBitForBit) {
  ButtonLab straight;
  (void)trainer_in(straight, small()).run("x");

  const TemporaryFolder folder;
  ButtonLab first;
  {
    PolicyTrainingConfig shorter = small();
    shorter.iterations = 2;
    GrpoTrainer trainer = trainer_in(first, shorter);
    trainer.checkpoints = folder.path();
    (void)trainer.run("x");
  }
  ButtonLab second;
  GrpoTrainer trainer = trainer_in(second, small());
  trainer.checkpoints = folder.path();
  const PolicyReport report = trainer.run("x");
  EXPECT_EQ(report.iterations, 4U);
  EXPECT_EQ(weight_bytes(second.model.weights("")), weight_bytes(straight.model.weights("")));
}

TEST(Grpo, IsTheSameOnOneAndOnTwoThreads) {
  ButtonLab one(1);
  ButtonLab two(2);
  (void)trainer_in(one, small()).run("x");
  (void)trainer_in(two, small()).run("x");
  EXPECT_EQ(weight_bytes(one.model.weights("")), weight_bytes(two.model.weights("")));
}

TEST(Grpo, ChangesNothingAtLearningRateZero) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.optimizer.learning_rate = 0;
  (void)trainer_in(lab, config).run("x");
  EXPECT_EQ(weight_bytes(lab.model.weights("")), weight_bytes(lab.start));
}

TEST(Grpo, TrainerAndEngineAgreeOnLogProbabilities) {
  // With a learning rate of 0 the KL to the sampling policy is the mismatch of the two.
  ButtonLab lab;
  PolicyTrainingConfig config = small();
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
  GrpoTrainer trainer = trainer_in(lab, config);
  trainer.listener = &watch;
  (void)trainer.run("x");
  EXPECT_LT(worst, 1e-5);
}

TEST(Grpo, KeepsTheBestValidatedPolicy) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.validate_every = 1;
  GrpoTrainer trainer = trainer_in(lab, config);
  std::vector<double> scores = {0.1, 0.9, 0.2, 0.3, 0.4};
  std::size_t next = 0;
  std::string best;
  trainer.validate = [&] {
    if (next == 1) {
      best = weight_bytes(lab.model.weights(""));
    }
    return scores.at(next++);
  };
  const PolicyReport report = trainer.run("x");
  EXPECT_EQ(report.best_iteration, 1U);
  EXPECT_EQ(weight_bytes(lab.model.weights("")), best);
}

TEST(Grpo, PullsTowardsTheReferenceWithAKlTerm) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.objective.loss.kl_coefficient = 0.5;
  EXPECT_EQ(trainer_in(lab, config).run("x").guards.not_finite, 0U);
}

}  // namespace
}  // namespace dreamgym
