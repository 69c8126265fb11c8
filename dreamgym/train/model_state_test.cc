#include "dreamgym/train/model_state.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/reference_policy.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

TrainableModel low_rank_model(std::uint64_t seed) {
  LoraAdapter adapter;
  adapter.rank = 2;
  adapter.alpha = 4;
  adapter.target_modules = {"q_proj", "v_proj"};
  return {initial_weights(tiny_transformer(), 1), initial_lora(tiny_transformer(), adapter, seed), 1};
}

PackedBatch some_batch() {
  PackedBatch batch;
  const auto segment = batch.add_segment(std::vector<TokenId>{3, 1, 4, 1, 5, 9, 2, 6});
  for (std::uint32_t i = 1; i < 8; ++i) {
    batch.add_query(segment, i);
  }
  return batch;
}

void learn(TrainableModel& model) {
  const PackedBatch batch = some_batch();
  (void)model.accumulate(std::span(&batch, 1), [](std::size_t, std::span<const TokenScore> scores) {
    return std::vector<TokenGradient>(scores.size(), {-1.0F, 0.0F});
  });
  (void)model.update({.learning_rate = 0.01});
}

TEST(ModelState, OfAnAdapterIsTheAdapterAlone) {
  TrainableModel model = low_rank_model(1);
  learn(model);
  const Blobs blobs = model_blobs(model);
  std::size_t count = 0;
  const auto adapter = model.adapter();
  for (const auto& [name, pair] : adapter->pairs) {
    count += pair.a.values.size() + pair.b.values.size();
  }
  EXPECT_EQ(blobs.at("weights").size(), count * sizeof(float));
  TrainableModel other = low_rank_model(2);
  restore_model(other, blobs);
  EXPECT_EQ(*other.adapter(), *model.adapter());
  learn(model);
  learn(other);  // with the optimiser's state too
  EXPECT_EQ(trained_bytes(other), trained_bytes(model));
  EXPECT_EQ(other.weights("").arrays, model.weights("").arrays);
}

TEST(ModelState, RefusesTheStateOfAnotherModel) {
  TrainableModel model = low_rank_model(1);
  EXPECT_THROW(set_trained_bytes(model, "1234"), Error);
  TrainableModel whole(initial_weights(tiny_transformer(), 1), 1);
  EXPECT_THROW(set_trained_bytes(whole, trained_bytes(model)), Error);
  EXPECT_THROW(set_trained_bytes(model, trained_bytes(whole)), Error);
}

TEST(ReferencePolicy, IsTheAdapterAsItWasOnTheSameFrozenWeights) {
  TrainableModel model = low_rank_model(1);
  const PackedBatch batch = some_batch();
  learn(model);  // one that goes on with what an earlier stage left
  const auto before = model.score(std::span(&batch, 1)).front();
  const ReferencePolicy reference = ReferencePolicy::of(model, trained_bytes(model));
  learn(model);
  const auto frozen = reference.score(std::span(&batch, 1)).front();
  const auto now = model.score(std::span(&batch, 1)).front();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(frozen[i].logprob, before[i].logprob);
  }
  EXPECT_NE(now[0].logprob, before[0].logprob);
  EXPECT_THROW((void)ReferencePolicy::of(model, "1234"), Error);
}

TEST(ReferencePolicy, IsACopyWhereAllWeightsAreTrained) {
  TrainableModel model(initial_weights(tiny_transformer(), 1), 1);
  const PackedBatch batch = some_batch();
  const auto before = model.score(std::span(&batch, 1)).front();
  const ReferencePolicy reference = ReferencePolicy::of(model, trained_bytes(model));
  learn(model);
  EXPECT_EQ(reference.score(std::span(&batch, 1)).front()[0].logprob, before[0].logprob);
}

}  // namespace
}  // namespace dreamgym
