// What every algorithm's loop must keep, whatever it is taught.

#include "dreamgym/train/policy_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/nn/engine_numbers.h"
#include "dreamgym/train/policy_algorithm.h"
#include "tests/button_room.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

PolicyTrainingConfig small(const std::string& algorithm = "grpo") {
  PolicyTrainingConfig config;
  config.iterations = 6;
  config.tasks_per_iteration = 4;
  config.group_size = 4;
  config.max_steps = 2;
  config.validate_every = 0;
  config.tokens_per_micro_batch = 100;
  config.optimizer.learning_rate = 3e-3;
  config.critic.warmup_iterations = 1;
  apply_algorithm(algorithm, config);
  return config;
}

/// Keeps what an iteration showed.
class Watch final : public TrainingListener {
 public:
  void on_iteration(std::size_t,
                    const std::vector<Episode>& episodes,
                    const std::map<std::string, double>& metrics) override {
    played.push_back(episodes);
    seen.push_back(metrics);
  }
  [[nodiscard]] std::string save() const override { return ""; }
  void restore(const std::string&) override {}

  std::vector<std::vector<Episode>> played;
  std::vector<std::map<std::string, double>> seen;
};

std::unique_ptr<PolicyTrainer> trainer_in(ButtonLab& lab,
                                          EnvironmentBatch& room,
                                          const PolicyTrainingConfig& config) {
  return make_policy_trainer({lab.model, lab.engine, lab.tokenizer},
                             &lab.critic,
                             lab.curriculum,
                             {room, nullptr, Provenance::kReal, ""},
                             config,
                             Rng(3));
}

std::string weights_of(const ButtonLab& lab) { return weight_bytes(lab.model.weights("")); }

/// A button room behind a bad line: a share of the resets and steps fails, or those of a task always.
class BadLine final : public Environment {
 public:
  BadLine(double share, std::string broken_task, std::shared_ptr<Rng> rng)
      : share_(share), broken_task_(std::move(broken_task)), rng_(std::move(rng)) {}
  Observation reset(const Task& task, std::uint64_t seed) override {
    broken_ = task.id == broken_task_;
    may_fail();
    return room_.reset(task, seed);
  }
  StepResult step(const Action& action) override {
    may_fail();
    return room_.step(action);
  }

 private:
  void may_fail() {
    if (broken_ || rng_->uniform() < share_) {
      throw Error(ErrorKind::kIo, "no answer from the room");
    }
  }

  double share_;
  std::string broken_task_;
  std::shared_ptr<Rng> rng_;
  ButtonRoom room_;
  bool broken_ = false;
};

SingleEnvironmentBatch bad_line(double share, const std::string& broken_task = "") {
  const auto rng = std::make_shared<Rng>(11);
  return {[=] { return std::make_unique<BadLine>(share, broken_task, rng); },
          1,
          SingleEnvironmentBatch::WhenItFails::kReport};
}

TEST(PolicyTrainer, LearnsTheSameBehindALineThatFailsNowAndThen) {
  for (const char* algorithm : {"grpo", "ppo"}) {
    ButtonLab calm;
    PolicyTrainingConfig config = small(algorithm);
    (void)trainer_in(calm, calm.room, config)->run("x");
    ButtonLab shaken;
    SingleEnvironmentBatch room = bad_line(0.05);
    const auto trainer = trainer_in(shaken, room, config);
    trainer->player().limits.retries = 20;
    const PolicyReport report = trainer->run("x");
    EXPECT_GT(report.failed_attempts, 3U) << algorithm;
    EXPECT_EQ(report.lost_episodes, 0U) << algorithm;
    EXPECT_EQ(weights_of(shaken), weights_of(calm)) << algorithm;
  }
}

TEST(PolicyTrainer, DropsAGroupThatCantBePlayedAndCountsIt) {
  ButtonLab lab;
  SingleEnvironmentBatch room = bad_line(0.0, "red 1");
  PolicyTrainingConfig config = small();
  config.tasks_per_iteration = 2;  // both tasks in every iteration
  Watch watch;
  const auto trainer = trainer_in(lab, room, config);
  trainer->listener = &watch;
  const PolicyReport report = trainer->run("x");
  EXPECT_EQ(report.iterations, 6U);
  EXPECT_EQ(report.lost_episodes, 6U * 4U);
  double dropped = 0;
  for (std::size_t i = 0; i < watch.seen.size(); ++i) {
    if (watch.seen[i].contains("rollout/dropped_groups")) {
      dropped += watch.seen[i].at("rollout/dropped_groups");
    }
    for (const Episode& episode : watch.played[i]) {
      EXPECT_EQ(episode.trajectory.task.id, "blue 1");
    }
  }
  EXPECT_EQ(static_cast<double>(report.lost_episodes), 4 * dropped);
}

TEST(PolicyTrainer, StopsWithTheReasonWhenNothingCanBePlayed) {
  ButtonLab lab;
  SingleEnvironmentBatch room = bad_line(1.0);
  const std::string message =
      message_of([&] { return trainer_in(lab, room, small())->run("x").iterations; });
  EXPECT_TRUE(contains(message, "no group of iteration 1 could be played")) << message;
  EXPECT_TRUE(contains(message, "no answer from the room")) << message;
}

TEST(PolicyTrainer, LeavesEpisodesOutWhoseRewardIsNoNumber) {
  class Unpaid final : public Environment {
   public:
    Observation reset(const Task& task, std::uint64_t seed) override { return room_.reset(task, seed); }
    StepResult step(const Action& action) override {
      StepResult result = room_.step(action);
      result.reward = std::numeric_limits<double>::quiet_NaN();
      return result;
    }

   private:
    ButtonRoom room_;
  };
  ButtonLab lab;
  SingleEnvironmentBatch room([] { return std::make_unique<Unpaid>(); }, 1);
  const std::string message =
      message_of([&] { return trainer_in(lab, room, small())->run("x").iterations; });
  EXPECT_TRUE(contains(message, "step 1 was rewarded with nan")) << message;
}

TEST(PolicyTrainer, PlaysTheExactShareInTheSecondPlaceAndStaysWithinTheRealBudget) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.iterations = 1000;
  config.tasks_per_iteration = 3;
  config.dream_share = 0.5;
  config.step_budget = 61;
  Watch watch;
  SingleEnvironmentBatch dream([] { return std::make_unique<ButtonRoom>(); }, 1);
  const auto trainer = trainer_in(lab, lab.room, config);
  trainer->player().second.emplace(Playground{dream, nullptr, Provenance::kDreamed, "dream"});
  trainer->listener = &watch;
  const PolicyReport report = trainer->run("x");
  EXPECT_LE(report.environment_steps, 61U);
  EXPECT_GT(report.environment_steps, 61U - 2 * 4 * 2);
  EXPECT_GT(report.second_steps, 0U);
  std::size_t dreamed = 0;
  for (std::size_t i = 0; i < watch.played.size(); ++i) {
    for (const Episode& episode : watch.played[i]) {
      dreamed += episode.trajectory.provenance == Provenance::kDreamed ? 1 : 0;
    }
    EXPECT_EQ(dreamed, 4 * static_cast<std::size_t>(std::floor(0.5 * 3.0 * static_cast<double>(i + 1))));
  }
}

TEST(PolicyTrainer, PlaysAheadWithThePolicyBeforeTheUpdate) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.overlap = true;
  config.mismatch_correction = MismatchCorrection::kTokenTruncated;
  Watch watch;
  auto trainer = trainer_in(lab, lab.room, config);
  trainer->listener = &watch;
  (void)trainer->run("x");
  ASSERT_EQ(watch.played.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string before = "x-" + std::to_string(i == 0 ? 0 : i - 1);
    EXPECT_EQ(watch.played[i].front().ledgers.front().model_version(), before) << i;
  }
  double apart = 0;
  for (const auto& metrics : watch.seen) {
    const auto found = metrics.find("train/mismatch_largest_nats");
    apart = std::max(apart, found == metrics.end() ? 0.0 : found->second);
  }
  EXPECT_GT(apart, 1e-4);
  ButtonLab again(2);
  (void)trainer_in(again, again.room, config)->run("x");
  EXPECT_EQ(weights_of(again), weights_of(lab));
}

double largest_mismatch(const Watch& watch) {
  double largest = 0;
  std::size_t measured = 0;
  for (const auto& metrics : watch.seen) {
    if (const auto found = metrics.find("train/mismatch_largest_nats"); found != metrics.end()) {
      largest = std::max(largest, found->second);
      ++measured;
    }
  }
  return measured > 0 ? largest : std::numeric_limits<double>::infinity();
}

TEST(PolicyTrainer, SaysHowFarSamplerAndTrainerAreApartWithoutACorrectionToo) {
  ButtonLab lab;
  Watch watch;
  auto trainer = trainer_in(lab, lab.room, small());
  trainer->listener = &watch;
  (void)trainer->run("x");
  EXPECT_LT(largest_mismatch(watch), 1e-4);
  EXPECT_GT(largest_mismatch(watch), 0);
}

// The sampler's numbers are narrow, and it is handed nothing but adapters.
TEST(PolicyTrainer, SamplesFromAnAdapterOnTheNumbersItIsTrainedOn) {
  ButtonLab lab;
  LoraAdapter settings;
  settings.rank = 4;
  settings.alpha = 8;
  settings.target_modules = {"q_proj", "v_proj", "o_proj", "up_proj", "gate_proj"};
  for (const char* numbers : {"bf16", "int8"}) {
    TransformerWeights frozen = lab.start;
    round_to_engine_numbers(frozen, numbers);
    TrainableModel model(frozen, initial_lora(frozen.config, settings, 1), 1);
    GenerationEngine engine(frozen, lab.tokenizer, {.weights = numbers, .cache = "int16"});
    PolicyTrainingConfig config = small();
    config.objective.loss.kl_coefficient = 0.01;
    Watch watch;
    const auto trainer = make_policy_trainer({model, engine, lab.tokenizer},
                                             nullptr,
                                             lab.curriculum,
                                             {lab.room, nullptr, Provenance::kReal, ""},
                                             config,
                                             Rng(3));
    trainer->listener = &watch;
    (void)trainer->run("x");
    EXPECT_LT(largest_mismatch(watch), 2e-2) << numbers;
    EXPECT_EQ(engine.version(), "x-6");
    // The last policy is what the engine plays.
    const std::vector<TokenId> tokens = {1, 5, 3, 2, 4, 1};
    PackedBatch batch;
    const auto segment = batch.add_segment(tokens);
    for (std::uint32_t i = 1; i < tokens.size(); ++i) {
      (void)batch.add_query(segment, i);
    }
    const auto scores = model.score(std::span(&batch, 1));
    const auto played = engine.score(tokens).logprobs;
    for (std::size_t i = 0; i < played.size(); ++i) {
      EXPECT_NEAR(scores[0][i].logprob, played[i], 2e-2) << numbers;
    }
  }
}

TEST(PolicyTrainer, TwentyIterationsAreTenAndResumedTen) {
  PolicyTrainingConfig config = small("dapo");
  config.iterations = 20;
  config.dynamic_sampling.max_rounds = 2;
  config.objective.loss.kl_coefficient = 0.05;
  config.kl = {.in_reward = true, .adaptive = true, .target = 0.01, .horizon = 50};
  config.dream_share = 0.25;
  config.mismatch_correction = MismatchCorrection::kSequenceMasked;
  const auto run = [](ButtonLab& lab, const PolicyTrainingConfig& with, const Path* folder) {
    SingleEnvironmentBatch dream([] { return std::make_unique<ButtonRoom>(); }, 1);
    const auto trainer = trainer_in(lab, lab.room, with);
    trainer->player().second.emplace(Playground{dream, nullptr, Provenance::kDreamed, "dream"});
    if (folder != nullptr) {
      trainer->checkpoints = *folder;
    }
    return trainer->run("x");
  };
  ButtonLab straight;
  const PolicyReport whole = run(straight, config, nullptr);
  const TemporaryFolder folder;
  {
    ButtonLab first;
    PolicyTrainingConfig half = config;
    half.iterations = 10;
    (void)run(first, half, &folder.path());
  }
  ButtonLab second;
  const PolicyReport resumed = run(second, config, &folder.path());
  EXPECT_EQ(weights_of(second), weights_of(straight));
  EXPECT_EQ(resumed.environment_steps, whole.environment_steps);
  EXPECT_EQ(resumed.second_steps, whole.second_steps);
  EXPECT_EQ(resumed.kl_coefficient, whole.kl_coefficient);
  EXPECT_NE(whole.kl_coefficient, 0.05);
}

TEST(PolicyTrainer, EndsWhenItMovesTooFarAndKeepsThePolicyFromBefore) {
  ButtonLab lab;
  PolicyTrainingConfig config = small();
  config.iterations = 20;
  config.guards = {.max_kl = 1e-7, .min_entropy_share = 0, .patience = 2};  // any move is too far
  Watch watch;
  const auto trainer = trainer_in(lab, lab.room, config);
  trainer->listener = &watch;
  const PolicyReport report = trainer->run("x");
  EXPECT_EQ(report.stopped_by, StopReason::kKl);
  EXPECT_LT(report.iterations, 20U);
  EXPECT_EQ(watch.seen.back().at("train/stopped"), 1.0);
  ASSERT_FALSE(report.guard_remarks.empty());
  EXPECT_EQ(report.guards.kl_alarms, 2U);
  EXPECT_EQ(report.best_iteration, 0U);
  EXPECT_TRUE(weights_of(lab) == weight_bytes(lab.start));
}

TEST(PolicyTrainer, TwentyIterationsAreTenAndResumedTenWithEveryGuardAtWork) {
  PolicyTrainingConfig config = small("ppo");
  config.iterations = 20;
  config.critic.warmup_iterations = 0;
  config.optimizer.learning_rate = 3e-2;
  config.guards = {.max_kl = 0.003, .min_entropy_share = 0.5, .patience = 30, .spike_ratio = 1.3,
                   .rate_factor = 0.9, .rate_floor = 0.05};
  const auto run = [](ButtonLab& lab, const PolicyTrainingConfig& with, const Path* folder) {
    const auto trainer = trainer_in(lab, lab.room, with);
    if (folder != nullptr) {
      trainer->checkpoints = *folder;
    }
    return trainer->run("x");
  };
  ButtonLab straight;
  const PolicyReport whole = run(straight, config, nullptr);
  EXPECT_GT(whole.guards.spikes, 0U);
  EXPECT_GT(whole.guards.kl_alarms, 0U);
  EXPECT_GT(whole.guards.backoffs, 0U);
  const TemporaryFolder folder;
  {
    ButtonLab first;
    PolicyTrainingConfig half = config;
    half.iterations = 10;
    (void)run(first, half, &folder.path());
  }
  ButtonLab second;
  const PolicyReport resumed = run(second, config, &folder.path());
  EXPECT_EQ(weights_of(second), weights_of(straight));
  EXPECT_EQ(weight_bytes(second.critic.weights("")), weight_bytes(straight.critic.weights("")));
  EXPECT_EQ(resumed.guard_remarks, whole.guard_remarks);
  EXPECT_EQ(resumed.calm_iteration, whole.calm_iteration);
}

TEST(PolicyTrainer, SaysWhereTheTimeWent) {
  class Times final : public TrainingListener {
   public:
    void on_iteration(std::size_t,
                      const std::vector<Episode>&,
                      const std::map<std::string, double>& metrics) override {
      surrogate += metrics.contains("theory/surrogate_advantage") ? 1 : 0;
    }
    void on_times(std::size_t, const std::map<std::string, double>& times) override {
      seen.push_back(times);
    }
    [[nodiscard]] std::string save() const override { return ""; }
    void restore(const std::string&) override {}
    std::vector<std::map<std::string, double>> seen;
    int surrogate = 0;
  } watch;
  ButtonLab lab;
  const auto trainer = trainer_in(lab, lab.room, small());
  trainer->listener = &watch;
  trainer->theory_discount = 0.9;
  const PolicyReport report = trainer->run("x");
  ASSERT_EQ(watch.seen.size(), 6U);
  for (const auto& times : watch.seen) {
    double parts = times.at("time/rest_seconds");
    for (const char* name : {"generation", "environment", "retrieval", "update"}) {
      parts += times.at(std::string("time/") + name + "_seconds");
    }
    EXPECT_NEAR(parts, times.at("time/iteration_seconds"), 1e-9);
  }
  EXPECT_GT(report.times.generation, 0.0);
  EXPECT_EQ(watch.surrogate, 1);  // after the last iteration, since nothing is validated
}

TEST(PolicyTrainer, HasOneLossCurveWhateverTheMicroBatchesAndThreads) {
  for (const char* algorithm : {"gigpo", "gspo", "ppo"}) {
    std::vector<std::vector<std::map<std::string, double>>> curves;
    for (const auto& [tokens, threads] : {std::pair{60, 1}, std::pair{4096, 1}, std::pair{60, 2}}) {
      ButtonLab lab(static_cast<std::size_t>(threads));
      PolicyTrainingConfig config = small(algorithm);
      config.tokens_per_micro_batch = static_cast<std::size_t>(tokens);
      config.optimizer.learning_rate = 3e-4;
      Watch watch;
      const auto trainer = trainer_in(lab, lab.room, config);
      trainer->listener = &watch;
      (void)trainer->run("x");
      curves.push_back(watch.seen);
    }
    for (std::size_t i = 0; i < curves[0].size(); ++i) {
      EXPECT_EQ(curves[2][i], curves[0][i]) << algorithm << ", threads, iteration " << i;
      for (const char* name : {"train/entropy_nats", "train/gradient_norm"}) {
        if (curves[0][i].contains(name)) {
          const double value = curves[0][i].at(name);
          EXPECT_NEAR(curves[1][i].at(name), value, 1e-6 * std::max(1.0, std::abs(value)))
              << algorithm << ", " << name << ", iteration " << i;
        }
      }
    }
  }
}

TEST(PolicyTrainer, StaysNearItsStartWithAKlInTheRewardAndTheCoefficientFollowsItsTarget) {
  const auto distance = [](double coefficient, bool adaptive, double* last) {
    ButtonLab lab;
    PolicyTrainingConfig config = small();
    config.iterations = 25;
    config.objective.loss.kl_coefficient = coefficient;
    config.objective.loss.kl_estimator = KlEstimator::kK1;
    config.kl = {.in_reward = true, .adaptive = adaptive, .target = 1e-4, .horizon = 100};
    Watch watch;
    const auto trainer = trainer_in(lab, lab.room, config);
    trainer->listener = &watch;
    *last = trainer->run("x").kl_coefficient;
    return watch.seen.back().at("train/kl_to_reference_nats");
  };
  double free = 0;
  double held = 0;
  double grown = 0;
  EXPECT_LT(distance(2.0, false, &held), distance(1e-3, false, &free));
  (void)distance(1e-3, true, &grown);
  EXPECT_EQ(free, 1e-3);
  EXPECT_GT(grown, 1e-3);
}

TEST(PolicyTrainer, RefusesACriticOfAnotherShapeOnResume) {
  const TemporaryFolder folder;
  ButtonLab lab;
  {
    const auto trainer = trainer_in(lab, lab.room, small("ppo"));
    trainer->checkpoints = folder.path();
    (void)trainer->run("x");
  }
  ButtonLab other;
  TransformerConfig wider = other.start.config;
  wider.intermediate_size *= 2;
  other.critic = TrainableModel(initial_weights(wider, 1), 1);
  const auto trainer = trainer_in(other, other.room, small("ppo"));
  trainer->checkpoints = folder.path();
  EXPECT_TRUE(contains(message_of([&] { return trainer->run("x").iterations; }),
                       "the checkpoint's weights are of a smaller model"));
}

}  // namespace
}  // namespace dreamgym
