#include "dreamgym/train/gradient_guard.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "dreamgym/train/model_state.h"
#include "tests/error_message.h"
#include "tests/tiny_transformer.h"

namespace dreamgym {
namespace {

constexpr OptimizerConfig kOptimizer = {.learning_rate = 1e-3, .max_gradient_norm = 1.0};

GuardedUpdate step(TrainableModel& model, GradientGuard& guard, float size) {
  PackedBatch batch;
  batch.add_query(batch.add_segment(std::vector<TokenId>{1, 2, 3}), 2);
  (void)model.accumulate(std::span(&batch, 1), [size](std::size_t, std::span<const TokenScore>) {
    return std::vector<TokenGradient>{{-size, 0.0F}};
  });
  return guard.update(model, kOptimizer, 1.0);
}

struct Taught {
  explicit Taught(double ratio) : model(initial_weights(tiny_transformer(), 3), 1), guard(ratio) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_FALSE(step(model, guard, 1.0F).left_out());
    }
  }
  TrainableModel model;
  GradientGuard guard;
};

TEST(GradientGuard, TakesASpikeBackToTheBit) {
  Taught taught(10);
  const Blobs before = model_blobs(taught.model);
  const GuardedUpdate spike = step(taught.model, taught.guard, 1000.0F);
  EXPECT_TRUE(spike.spike);
  EXPECT_EQ(model_blobs(taught.model), before);
  EXPECT_FALSE(step(taught.model, taught.guard, 1.0F).left_out());
  EXPECT_NE(model_blobs(taught.model), before);
}

TEST(GradientGuard, TellsASpikeFromAGradientThatIsNoNumber) {
  Taught taught(10);
  const Blobs before = model_blobs(taught.model);
  const GuardedUpdate update =
      step(taught.model, taught.guard, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(update.not_finite);
  EXPECT_FALSE(update.spike);
  EXPECT_EQ(model_blobs(taught.model), before);
}

TEST(GradientGuard, GetsUsedToGradientsThatStayLarge) {
  Taught taught(10);
  int spikes = 0;
  for (int i = 0; i < 40; ++i) {
    spikes += step(taught.model, taught.guard, 100.0F).spike ? 1 : 0;
  }
  EXPECT_GT(spikes, 3);
  EXPECT_LT(spikes, 20);
}

TEST(GradientGuard, LeavesEverythingToTheModelWhenOff) {
  Taught taught(0);
  EXPECT_FALSE(step(taught.model, taught.guard, 1e6F).left_out());
  const std::string message = message_of([] { return GradientGuard(0.5); });
  EXPECT_TRUE(contains(message, "spike_ratio is 0.5, expected 0 or a number above 1")) << message;
}

}  // namespace
}  // namespace dreamgym
