#include "dreamgym/train/dpo.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/preference_packing.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

// After a name and a separator, saying the name again is preferred to saying another one.
std::vector<TrainingSequence> copy_pairs(std::size_t count) {
  Rng rng(5);
  std::vector<TrainingSequence> pairs;
  while (pairs.size() < count) {
    const auto name = static_cast<TokenId>(4 + rng.below(20));
    const auto other = static_cast<TokenId>(4 + rng.below(20));
    if (name == other) {
      continue;
    }
    std::array<TrainingSequence, 2> sides;
    for (std::size_t side = 0; side < 2; ++side) {
      sides[side].trunk.append(std::vector<TokenId>{1, name, 2}, LossPart::kNone, 0);
      sides[side].trunk.append(side == 0 ? name : other, LossPart::kAction, 1);
      sides[side].trunk.append(3, LossPart::kAction, 1);
    }
    pairs.push_back(preference_sequence(sides[0], sides[1]));
  }
  return pairs;
}

DpoConfig config() {
  DpoConfig out;
  out.epochs = 2;
  out.pairs_per_update = 8;
  out.tokens_per_micro_batch = 24;
  out.loss.beta = 0.5;
  out.optimizer = {.learning_rate = 3e-3, .weight_decay = 0.0};
  out.checkpoint_every = 3;
  return out;
}

struct Recorder : MetricsSink {
  std::vector<std::map<std::string, double>> steps;
  void record(std::string_view,
              std::uint64_t,
              const std::map<std::string, double>& values) override {
    steps.push_back(values);
  }
};

TEST(TrainDpo, LearnsToPreferAndStartsFromItsReference) {
  TrainableModel model(initial_weights(tiny_transformer(), 3), 2);
  DpoConfig longer = config();
  longer.epochs = 20;
  Recorder metrics;
  const DpoReport report =
      train_dpo(model, copy_pairs(64), longer, Rng(1), {.phase = "dpo", .metrics = &metrics});
  EXPECT_EQ(report.updates, 160U);
  EXPECT_NEAR(metrics.steps.front()["train/loss_preference_nats"], std::log(2.0), 1e-4);
  EXPECT_GE(report.accuracy, 0.99);
  EXPECT_LT(report.loss, 0.3);
  EXPECT_EQ(report.skipped_updates, 0U);
}

TEST(TrainDpo, DoesNotDependOnHowPairsArePackedOrOnThreads) {
  const auto pairs = copy_pairs(24);
  DpoConfig wide = config();
  wide.tokens_per_micro_batch = 10'000;
  TrainableModel a(initial_weights(tiny_transformer(), 3), 1);
  TrainableModel b(initial_weights(tiny_transformer(), 3), 2);
  TrainableModel c(initial_weights(tiny_transformer(), 3), 2);
  const DpoReport narrow = train_dpo(a, pairs, config(), Rng(1), {.phase = "narrow"});
  const DpoReport threads = train_dpo(b, pairs, config(), Rng(1), {.phase = "threads"});
  const DpoReport whole = train_dpo(c, pairs, wide, Rng(1), {.phase = "whole"});
  EXPECT_EQ(weight_bytes(a.weights("")), weight_bytes(b.weights("")));
  EXPECT_EQ(narrow.loss, threads.loss);
  EXPECT_NEAR(narrow.loss, whole.loss, 1e-4 * narrow.loss);
}

TEST(TrainDpo, ResumedEqualsUninterruptedBitForBit) {
  const auto pairs = copy_pairs(40);
  TrainableModel straight(initial_weights(tiny_transformer(), 3), 1);
  (void)train_dpo(straight, pairs, config(), Rng(1), {.phase = "straight"});

  struct Killer : MetricsSink {
    void record(std::string_view,
                std::uint64_t step,
                const std::map<std::string, double>&) override {
      if (step == 5) {
        throw Error(ErrorKind::kIo, "killed");
      }
    }
  };
  const TemporaryFolder folder;
  Killer killer;
  TrainableModel first(initial_weights(tiny_transformer(), 3), 2);
  EXPECT_THROW(
      (void)train_dpo(first,
                      pairs,
                      config(),
                      Rng(1),
                      {.phase = "first", .metrics = &killer, .checkpoints = folder.path()}),
      Error);
  TrainableModel second(initial_weights(tiny_transformer(), 99), 2);
  const DpoReport report =
      train_dpo(second, pairs, config(), Rng(1), {.phase = "second", .checkpoints = folder.path()});
  EXPECT_EQ(report.updates, 10U);
  EXPECT_EQ(weight_bytes(second.weights("")), weight_bytes(straight.weights("")));
}

TEST(TrainDpo, RefusesToResumeWithOtherPairs) {
  const TemporaryFolder folder;
  TrainableModel model(initial_weights(tiny_transformer(), 3), 1);
  const TrainingRun run = {.phase = "dpo", .checkpoints = folder.path()};
  (void)train_dpo(model, copy_pairs(8), config(), Rng(1), run);
  const std::string message =
      message_of([&] { return train_dpo(model, copy_pairs(9), config(), Rng(1), run); });
  EXPECT_TRUE(contains(message, "reference of 8 pair(s), expected 9")) << message;
}

TEST(TrainDpo, RefusesToLearnFromNothing) {
  TrainableModel model(initial_weights(tiny_transformer(), 3), 1);
  const std::string message =
      message_of([&] { return train_dpo(model, {}, config(), Rng(1), {.phase = "dpo"}); });
  EXPECT_TRUE(contains(message, "no preference pairs")) << message;
  DpoConfig no_epoch = config();
  no_epoch.epochs = 0;
  EXPECT_TRUE(contains(message_of([&] {
                         return train_dpo(model, copy_pairs(2), no_epoch, Rng(1), {.phase = "dpo"});
                       }),
                       "epochs 0"));
}

}  // namespace
}  // namespace dreamgym
