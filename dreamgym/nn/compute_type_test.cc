#include "dreamgym/nn/compute_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/copy_task.h"
#include "dreamgym/nn/internal/network.h"
#include "dreamgym/nn/internal/parameter_layout.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

using internal::copy_batches;
using internal::cross_entropy;
using internal::muon;
using internal::small_adapter;
using internal::tiny_config;
using internal::train_to_copy;

TEST(ComputeType, IsNamed) {
  EXPECT_EQ(compute_type_named("fp32"), ComputeType::kFloat32);
  EXPECT_THROW((void)compute_type_named("fp16"), Error);
}

TEST(ComputeType, IsRefusedWhereTheMachineHasNotTheInstructions) {
  TrainableModel model(initial_weights(tiny_config(), 1), 1);
  EXPECT_TRUE(can_compute(ComputeType::kFloat32));
  if (can_compute(ComputeType::kBFloat16)) {
    EXPECT_EQ(compute_type_named("bf16"), ComputeType::kBFloat16);
    EXPECT_NO_THROW(model.set_compute(ComputeType::kBFloat16));
  } else {
    EXPECT_THROW((void)compute_type_named("bf16"), Error);
    EXPECT_THROW(model.set_compute(ComputeType::kBFloat16), LogicError);
  }
}

class BFloat16Compute : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_compute(ComputeType::kBFloat16)) {
      GTEST_SKIP() << "this machine has no AVX-512 BF16";
    }
  }
  static TrainableModel in_bfloat16(TransformerWeights start,
                                    std::size_t num_threads,
                                    std::optional<LoraAdapter> adapter = std::nullopt) {
    TrainableModel model =
        adapter ? TrainableModel(std::move(start), std::move(*adapter), num_threads)
                : TrainableModel(std::move(start), num_threads);
    model.set_compute(ComputeType::kBFloat16);
    return model;
  }
};

// A model wide enough that errors of rounding average out as in real ones, of every kind of layer.
TransformerConfig wide_config() {
  TransformerConfig config = tiny_config();
  config.hidden_size = 128;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 32;
  config.intermediate_size = 256;
  config.qkv_bias = true;
  config.qk_norm = true;
  return config;
}

std::vector<float> gradient_of(const TransformerConfig& config, ComputeType type) {
  const TransformerWeights start = initial_weights(config, 3);
  const internal::ParameterLayout layout = internal::parameter_layout(config);
  internal::FloatBuffer weights(layout.count);
  internal::copy_in(layout, start, weights.data());
  const PackedBatch batch = copy_batches(5, 1)[0];
  internal::Workspace workspace;
  internal::Network network(config, layout, {.base = weights.data(), .compute = type});
  const auto scores = network.forward(batch, workspace, internal::Keep::kAll);
  std::vector<float> gradient(layout.count);
  internal::WholeGradients sink({.base = gradient.data()});
  network.backward(std::vector<TokenGradient>(scores.size(), {-1.0F, 0.1F}),
                   workspace,
                   sink);
  return gradient;
}

TEST_F(BFloat16Compute, HasTheGradientsOfFp32InEveryParameter) {
  const TransformerConfig config = wide_config();
  const auto exact = gradient_of(config, ComputeType::kFloat32);
  const auto rounded = gradient_of(config, ComputeType::kBFloat16);
  for (const internal::Parameter& parameter : internal::parameter_layout(config).parameters) {
    double product = 0;
    double exact_square = 0;
    double rounded_square = 0;
    for (std::size_t i = parameter.offset; i < parameter.offset + parameter.count(); ++i) {
      product += static_cast<double>(exact[i]) * rounded[i];
      exact_square += static_cast<double>(exact[i]) * exact[i];
      rounded_square += static_cast<double>(rounded[i]) * rounded[i];
    }
    if (exact_square < 1e-10) {
      continue;  // a bias of keys: softmax does not see it
    }
    EXPECT_GT(product / std::sqrt(exact_square * rounded_square), 0.999) << parameter.name;
    EXPECT_NEAR(std::sqrt(rounded_square / exact_square), 1.0, 0.01) << parameter.name;
  }
  EXPECT_NE(exact, rounded) << "nothing was computed in bfloat16";
}

TEST_F(BFloat16Compute, ScoresNearFp32) {
  const TransformerWeights start = initial_weights(wide_config(), 3);
  const auto batches = copy_batches(5, 3);
  const auto exact = TrainableModel(start, 1).score(batches);
  const auto rounded = in_bfloat16(start, 1).score(batches);
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    for (std::size_t q = 0; q < exact[i].size(); ++q) {
      largest = std::max(largest,
                         std::abs(static_cast<double>(exact[i][q].logprob) - rounded[i][q].logprob));
    }
  }
  EXPECT_LT(largest, 2e-2);
  EXPECT_GT(largest, 0);
}

TEST_F(BFloat16Compute, DoesNotDependOnTheNumberOfThreads) {
  const TransformerWeights start = initial_weights(tiny_config(), 1);
  TrainableModel one = in_bfloat16(start, 1);
  TrainableModel three = in_bfloat16(start, 3);
  train_to_copy(one, 7, 3);
  train_to_copy(three, 7, 3);
  EXPECT_EQ(one.weights("w").arrays, three.weights("w").arrays);
  EXPECT_EQ(one.optimizer_state(), three.optimizer_state());
}

TEST_F(BFloat16Compute, ContinuesBitForBitFromItsSavedState) {
  TrainableModel straight = in_bfloat16(initial_weights(tiny_config(), 1), 1);
  train_to_copy(straight, 7, 2);
  TrainableModel resumed = in_bfloat16(straight.weights("saved"), 1);
  resumed.set_optimizer_state(straight.optimizer_state());
  train_to_copy(straight, 50, 2);
  train_to_copy(resumed, 50, 2);
  EXPECT_EQ(straight.weights("w").arrays, resumed.weights("w").arrays);
}

TEST_F(BFloat16Compute, HasTheSameGradientsWhenLayersAreComputedAgain) {
  const TransformerWeights start = initial_weights(tiny_config(), 1);
  TrainableModel kept = in_bfloat16(start, 1);
  TrainableModel again = in_bfloat16(start, 1);
  again.set_recompute(true);
  train_to_copy(kept, 7, 2);
  train_to_copy(again, 7, 2);
  EXPECT_EQ(kept.weights("w").arrays, again.weights("w").arrays);
}

TEST_F(BFloat16Compute, ScoresUnderAnotherAdapterAsUnderItsOwn) {
  const TransformerWeights start = initial_weights(tiny_config(), 1);
  TrainableModel model = in_bfloat16(start, 1, small_adapter());
  const auto batches = copy_batches(3, 2);
  const auto own = model.score(batches);
  const auto under = model.score_under(*model.adapter(), batches);
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t q = 0; q < own[i].size(); ++q) {
      EXPECT_EQ(own[i][q].logprob, under[i][q].logprob);
    }
  }
}

// Loss of each step with a fresh batch.
std::vector<double> loss_curve(TrainableModel model, std::uint64_t num_steps) {
  std::vector<double> curve;
  for (std::uint64_t step = 0; step < num_steps; ++step) {
    std::size_t count = 0;
    double loss = 0;
    for (const auto& batch : model.accumulate(copy_batches(100 + step, 5), cross_entropy(84))) {
      for (const TokenScore& score : batch) {
        loss -= score.logprob;
        ++count;
      }
    }
    model.update(muon());
    curve.push_back(loss / static_cast<double>(count));
  }
  return curve;
}

// Mean over the curves of eight starts: one start's parts from its own after some thirty steps, in
// either direction, by up to 5%.
double mean_loss(bool rounded, const std::optional<LoraAdapter>& adapter) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const TransformerWeights start = initial_weights(tiny_config(), seed);
    TrainableModel model = adapter ? TrainableModel(start, *adapter, 1) : TrainableModel(start, 1);
    if (rounded) {
      model.set_compute(ComputeType::kBFloat16);
    }
    const auto curve = loss_curve(std::move(model), 60);
    EXPECT_LT(curve.back(), curve.front());
    sum += std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(curve.size());
  }
  return sum / 8;
}

TEST_F(BFloat16Compute, LearnsAsFp32Does) {
  const double exact = mean_loss(false, std::nullopt);
  EXPECT_NEAR(mean_loss(true, std::nullopt), exact, 0.02 * exact);
}

TEST_F(BFloat16Compute, LearnsWithAnAdapterAsFp32Does) {
  const double exact = mean_loss(false, small_adapter());
  EXPECT_NEAR(mean_loss(true, small_adapter()), exact, 0.02 * exact);
}

}  // namespace
}  // namespace dreamgym
