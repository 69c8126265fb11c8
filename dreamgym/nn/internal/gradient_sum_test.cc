#include "dreamgym/nn/internal/gradient_sum.h"

#include <gtest/gtest.h>

#include <thread>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/copy_task.h"

namespace dreamgym::internal {
namespace {

// Adds `value` to every gradient of a micro-batch, as a backward pass goes through them.
void add_everywhere(GradientSum& sum, const ParameterLayout& layout, std::size_t number, float value) {
  GradientSum::MicroBatch micro_batch(sum, number);
  for (std::size_t layer = layout.layers.size(); layer-- > 0;) {
    const NetworkGradients gradients = micro_batch.of_layer(layer);
    const std::size_t begin = layout.layers[layer].attention_gain;
    const std::size_t end = layer + 1 < layout.layers.size() ? layout.layers[layer + 1].attention_gain
                                                             : layout.final_gain;
    for (std::size_t i = begin; i < end; ++i) {
      *gradients.at(i) += value;
    }
    micro_batch.layer_done(layer);
  }
  for (std::size_t i = 0; i < layout.layers[0].attention_gain; ++i) {
    *micro_batch.of_embedding().at(i) += value;
  }
  for (std::size_t i = layout.final_gain; i < layout.count; ++i) {
    *micro_batch.of_rest().at(i) += value;
  }
  micro_batch.finish();
}

// Numbers whose sum depends on the order: the small one is lost beside the large one.
constexpr float kValues[] = {1e8F, -1e8F, 1.0F};

TEST(GradientSum, AddsInTheOrderOfTheNumbersWhicheverIsReadyFirst) {
  TransformerConfig config = tiny_config();
  config.tied_embeddings = false;
  const ParameterLayout layout = parameter_layout(config);
  std::vector<float> total(layout.count, 0.5F);
  GradientSum sum(layout, 0, total.data());
  for (const std::size_t number : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    add_everywhere(sum, layout, number, kValues[number]);
  }
  EXPECT_EQ(total, std::vector<float>(layout.count, 1.0F)) << "0.5 is lost beside 1e8, 1 is not";
}

TEST(GradientSum, PassesTheTurnOfAMicroBatchThatAsksForNothing) {
  const ParameterLayout layout = parameter_layout(tiny_config());
  std::vector<float> total(layout.count);
  GradientSum sum(layout, 0, total.data());
  add_everywhere(sum, layout, 1, 2.0F);
  GradientSum::MicroBatch(sum, 0).finish();
  EXPECT_EQ(total, std::vector<float>(layout.count, 2.0F));
}

TEST(GradientSum, OfAnAdapterIsOnePart) {
  const ParameterLayout layout = parameter_layout(tiny_config());
  std::vector<float> total(7);
  GradientSum sum(layout, total.size(), total.data());
  for (const std::size_t number : {std::size_t{1}, std::size_t{0}}) {
    GradientSum::MicroBatch micro_batch(sum, number);
    EXPECT_EQ(micro_batch.of_rest().base, nullptr) << "the weights are frozen";
    micro_batch.of_layer(1).low_rank[3] += static_cast<float>(number + 1);
    micro_batch.layer_done(1);
    micro_batch.finish();
  }
  EXPECT_EQ(total, (std::vector<float>{0, 0, 0, 3, 0, 0, 0}));
}

TEST(GradientSum, LetsNobodyWaitForWhatWillNotCome) {
  TransformerConfig large = tiny_config();
  large.vocab_size = static_cast<std::int64_t>(kWaitingGradientBytes / 4 / 32 + 1);
  const ParameterLayout layout = parameter_layout(large);
  std::vector<float> total(layout.count);
  GradientSum sum(layout, 0, total.data());
  std::jthread waits([&] {
    GradientSum::MicroBatch second(sum, 1);
    (void)second.of_embedding();  // too large to be put aside
    EXPECT_THROW(second.finish(), LogicError);
  });
  sum.fail(0);
}

TEST(GradientSum, GoesOnWithMicroBatchesBeforeOneThatFailed) {
  const ParameterLayout layout = parameter_layout(tiny_config());
  std::vector<float> total(layout.count);
  GradientSum sum(layout, 0, total.data());
  sum.fail(1);
  EXPECT_NO_THROW(add_everywhere(sum, layout, 0, 2.0F));
  EXPECT_THROW(add_everywhere(sum, layout, 2, 2.0F), LogicError);
  EXPECT_EQ(total, std::vector<float>(layout.count, 2.0F));
}

}  // namespace
}  // namespace dreamgym::internal
