#include "dreamgym/train/sft.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/packing.h"
#include "dreamgym/train/schedule.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

// "say again": a name, a separator, the name once more (that one carries the loss).
std::vector<TrainingSequence> copy_lessons(std::size_t count) {
  Rng rng(5);
  std::vector<TrainingSequence> lessons(count);
  for (TrainingSequence& lesson : lessons) {
    const auto name = static_cast<TokenId>(4 + rng.below(20));
    lesson.trunk.append(std::vector<TokenId>{1, name, 2}, LossPart::kNone, 0);
    lesson.trunk.append(name, LossPart::kState, 1);
  }
  return lessons;
}

SftConfig config() {
  SftConfig out;
  out.epochs = 3;
  out.tokens_per_update = 64;
  out.tokens_per_micro_batch = 24;
  out.optimizer = {.kind = OptimizerKind::kMuon, .learning_rate = 3e-3};
  out.checkpoint_every = 5;
  return out;
}

TEST(EpochPlan, TeachesEverySequenceOnceAnEpochInItsOwnOrder) {
  const TeachingPlan plan = epoch_plan(copy_lessons(100), config(), Rng(1));
  std::size_t taught = 0;
  for (std::size_t update = 0; update < plan.num_updates; ++update) {
    taught += plan.sequences(update).size();
  }
  EXPECT_EQ(taught, 300U);
  EXPECT_EQ(plan.sequences(3), epoch_plan(copy_lessons(100), config(), Rng(1)).sequences(3));
  EXPECT_NE(plan.sequences(3), epoch_plan(copy_lessons(100), config(), Rng(2)).sequences(3));
}

TEST(EpochPlan, RefusesToTeachNothing) {
  EXPECT_THROW((void)epoch_plan({}, config(), Rng(1)), Error);
}

TEST(EpochPlan, PermutesNamesConsistentlyWithinASequence) {
  SftConfig permuting = config();
  permuting.name_permutation = 1.0;
  std::vector<TokenId> names;
  for (TokenId id = 4; id < 24; ++id) {
    names.push_back(id);
  }
  const TeachingPlan plan = epoch_plan(copy_lessons(50), permuting, Rng(1), names);
  for (const TrainingSequence& lesson : plan.sequences(0)) {
    EXPECT_EQ(lesson.trunk.tokens[1], lesson.trunk.tokens[3]);
    EXPECT_EQ(lesson.trunk.tokens[0], 1);
  }
}

TEST(TrainSft, LearnsToCopy) {
  TrainableModel model(initial_weights(tiny_transformer(), 3), 2);
  SftConfig longer = config();
  longer.epochs = 40;
  const SftReport report =
      train_sft(model, epoch_plan(copy_lessons(200), longer, Rng(1)), longer, {.phase = "copy"});
  EXPECT_LT(report.last_loss[static_cast<std::size_t>(LossPart::kState)], 0.2);
  EXPECT_EQ(report.skipped_updates, 0U);
}

TEST(TrainSft, ResumedEqualsUninterruptedBitForBit) {
  const TeachingPlan plan = epoch_plan(copy_lessons(100), config(), Rng(1));
  TrainableModel straight(initial_weights(tiny_transformer(), 3), 1);
  (void)train_sft(straight, plan, config(), {.phase = "straight"});

  const TemporaryFolder folder;
  {
    TrainableModel first(initial_weights(tiny_transformer(), 3), 2);
    // Killed after update 7: the newest checkpoint is update 5.
    TeachingPlan dying = plan;
    dying.sequences = [&](std::size_t update) {
      if (update == 7) {
        throw Error(ErrorKind::kIo, "killed");
      }
      return plan.sequences(update);
    };
    EXPECT_THROW(
        (void)train_sft(
            first, dying, config(), {.phase = "first", .checkpoints = folder.path()}),
        Error);
  }
  TrainableModel second(initial_weights(tiny_transformer(), 99), 2);
  const SftReport report = train_sft(
      second, plan, config(), {.phase = "second", .checkpoints = folder.path()});
  EXPECT_EQ(report.updates, plan.num_updates);
  EXPECT_EQ(weight_bytes(second.weights("")), weight_bytes(straight.weights("")));
}

TEST(PackSequences, KeepsBranchesWithTheirTrunkAndSkipsLossless) {
  TrainingSequence sequence;
  sequence.trunk.append(std::vector<TokenId>{1, 5, 6, 7}, LossPart::kNone, 0);
  TrainingSequence::Branch branch;
  branch.trunk_end = 2;
  branch.run.append(std::vector<TokenId>{8, 9}, LossPart::kTrace, 1);
  sequence.branches.push_back(branch);
  TrainingSequence silent;
  silent.trunk.append(std::vector<TokenId>{1, 2}, LossPart::kNone, 0);
  const std::vector<const TrainingSequence*> given = {&sequence, &silent};
  const TaughtBatches taught = pack_sequences(given, 100);
  ASSERT_EQ(taught.batches.size(), 1U);
  EXPECT_EQ(taught.num_tokens, 6U);
  ASSERT_EQ(taught.batches[0].queries.size(), 2U);
  EXPECT_EQ(taught.batches[0].queries[0].source, 1U);  // the trunk's second token predicts the branch
  EXPECT_EQ(taught.batches[0].queries[0].target, 8);
}

TEST(WarmupCosine, RisesThenFallsToItsFinalShare) {
  EXPECT_LT(warmup_cosine(0, 100, 10, 0.1), 0.11);
  EXPECT_NEAR(warmup_cosine(10, 100, 10, 0.1), 0.978, 0.01);
  EXPECT_NEAR(warmup_cosine(100, 100, 10, 0.1), 0.1, 1e-9);
}

}  // namespace
}  // namespace dreamgym
