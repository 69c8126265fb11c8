// An adapter beside packed weights: the same policy as merged, and the same as the trainer's where the
// frozen weights are the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/engine_numbers.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/internal/engine_cases.h"
#include "dreamgym/nn/kernels/kernels.h"
#include "dreamgym/nn/running_batch.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

using Family = internal::ModelFamily;
using internal::random_tokens;

constexpr Family kFamilies[] = {{"llama", false, false, false, 0},
                                {"qwen2", true, true, false, 0},
                                {"qwen3", true, false, true, 0},
                                {"dreamgym_nano", true, false, false, 4}};

const std::vector<std::string> kAllTargets = {
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

// Weights whose distributions are peaked.
TransformerWeights weights_of(const Family& family) {
  TransformerConfig config = internal::config_of(family);
  config.family = family.name;
  TransformerWeights weights = initial_weights(config, 5);
  for (float& value : weights.arrays.at(internal::head_of(family)).values) {
    value *= 12.0F;
  }
  weights.version = family.name;
  return weights;
}

LoraAdapter adapter_of(const TransformerConfig& config,
                       std::int64_t rank = 3,
                       const std::vector<std::string>& targets = kAllTargets,
                       double size = 0.2) {
  return internal::learnt_adapter(config, rank, targets, size);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

TEST(EngineAdapter, SaysWhatMergedWeightsSay) {
  const auto tokens = random_tokens(70, 1);
  for (const Family& family : kFamilies) {
    const TransformerWeights weights = weights_of(family);
    for (const auto& targets : std::vector<std::vector<std::string>>{
             kAllTargets, {"k_proj"}, {"q_proj", "v_proj"}, {"o_proj"}, {"up_proj"}, {"down_proj"}}) {
      const LoraAdapter adapter = adapter_of(weights.config, 3, targets);
      TransformerWeights merged = weights;
      merge_lora(adapter, merged);
      for (const Kernels* kernels : available_kernels()) {
        const EngineConfig config = {.prefill_chunk_tokens = 48, .kernels = std::string(kernels->name)};
        GenerationEngine beside(weights, nullptr, config);
        const auto without = beside.score(tokens).logprobs;
        beside.set_adapter(adapter, "adapted");
        EXPECT_EQ(beside.version(), "adapted");
        const auto adapted = beside.score(tokens).logprobs;
        EXPECT_LT(largest_difference(
                      adapted, GenerationEngine(merged, nullptr, config).score(tokens).logprobs),
                  1e-4)
            << family.name << " " << targets.front() << " " << kernels->name;
        EXPECT_GT(largest_difference(adapted, without), 1e-2);
      }
    }
  }
}

TEST(EngineAdapter, IsReplacedByTheNextAndGoneWithNewWeights) {
  const TransformerWeights weights = weights_of(kFamilies[0]);
  const auto tokens = random_tokens(40, 2);
  GenerationEngine engine(weights, nullptr, {});
  const auto plain = engine.score(tokens).logprobs;
  engine.set_adapter(adapter_of(weights.config), "first");
  for (const std::int64_t rank : {40, 2}) {  // wider than anything so far, then narrower
    engine.set_adapter(adapter_of(weights.config, rank), "next");
    GenerationEngine fresh(weights, nullptr, {});
    fresh.set_adapter(adapter_of(weights.config, rank), "fresh");
    EXPECT_EQ(engine.score(tokens).logprobs, fresh.score(tokens).logprobs) << rank;
  }
  engine.set_weights(weights);
  EXPECT_EQ(engine.score(tokens).logprobs, plain);
}

TEST(EngineAdapter, ForgetsWhatItReadUnderTheAdapterBefore) {
  const TransformerWeights weights = weights_of(kFamilies[1]);
  GenerationRequest request;
  request.session = 1;
  request.context = random_tokens(50, 3);
  request.max_tokens = 10;
  GenerationEngine engine(weights, nullptr, {});
  (void)engine.generate(std::span(&request, 1));
  engine.set_adapter(adapter_of(weights.config), "adapted");
  const auto again = engine.generate(std::span(&request, 1)).front();
  GenerationEngine fresh(weights, nullptr, {});
  fresh.set_adapter(adapter_of(weights.config), "adapted");
  EXPECT_EQ(again.logprobs, fresh.generate(std::span(&request, 1)).front().logprobs);
}

TEST(EngineAdapter, RefusesAnAdapterOfAnotherModel) {
  const TransformerWeights weights = weights_of(kFamilies[0]);
  GenerationEngine engine(weights, nullptr, {});
  LoraAdapter other = adapter_of(weights.config);
  other.pairs.begin()->second.a.shape[1] += 1;
  EXPECT_THROW(engine.set_adapter(other, "other"), Error);
  EXPECT_EQ(engine.version(), weights.version);
}

// A group with one prompt, others with their own, long and short.
std::vector<GenerationRequest> some_requests() {
  std::vector<GenerationRequest> requests;
  for (std::uint64_t i = 0; i < 7; ++i) {
    GenerationRequest& request = requests.emplace_back();
    request.context = i < 3 ? random_tokens(70, 4) : random_tokens(5 + 20 * i, i);
    request.max_tokens = 12;
    request.seed = i;
    request.session = i % 2 == 0 ? i + 1 : 0;
  }
  return requests;
}

TEST(EngineAdapter, RepliesDependNeitherOnNeighboursNorThreads) {
  const TransformerWeights weights = weights_of(kFamilies[3]);
  const auto requests = some_requests();
  for (const auto& [numbers, cache] :
       {std::pair("fp32", "int16"), std::pair("bf16", "bf16"), std::pair("int8", "int16")}) {
    const auto engine = [&, weight_numbers = numbers, cache_numbers = cache](EngineConfig config) {
      config.weights = weight_numbers;
      config.cache = cache_numbers;
      auto made = std::make_unique<GenerationEngine>(weights, nullptr, config);
      made->set_adapter(adapter_of(weights.config), "adapted");
      return made;
    };
    const auto alone = engine({});
    std::vector<GenerationReply> expected;
    for (const GenerationRequest& request : requests) {
      expected.push_back(alone->generate(std::span(&request, 1)).front());
    }
    const auto together = engine({.num_threads = 2, .prefill_chunk_tokens = 19})->generate(requests);
    const auto running = engine({});
    ManualClock clock;
    RunningBatch batch(*running, {}, clock);
    std::vector<RunningBatch::Ticket> tickets;
    for (const GenerationRequest& request : requests) {
      tickets.push_back(*batch.submit({.request = request}));
    }
    std::vector<RunningBatch::Ended> ended;
    while (!batch.idle()) {
      const auto now = batch.step();
      ended.insert(ended.end(), now.begin(), now.end());
    }
    ASSERT_EQ(ended.size(), requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(together[i].tokens, expected[i].tokens) << numbers << " " << i;
      EXPECT_EQ(together[i].logprobs, expected[i].logprobs) << numbers << " " << i;
      const auto same = std::ranges::find(ended, tickets[i], &RunningBatch::Ended::ticket);
      EXPECT_EQ(same->reply.logprobs, expected[i].logprobs) << numbers << " " << i;
    }
  }
}

// Largest difference of a sampled token's log-probability in the trainer from that in the engine.
double largest_mismatch(const TrainableModel& trainer, GenerationEngine& engine) {
  const auto requests = some_requests();
  const auto replies = engine.generate(requests);
  double largest = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::vector<TokenId> tokens = requests[i].context;
    tokens.insert(tokens.end(), replies[i].tokens.begin(), replies[i].tokens.end());
    PackedBatch batch;
    const auto segment = batch.add_segment(tokens);
    for (std::size_t t = requests[i].context.size(); t < tokens.size(); ++t) {
      (void)batch.add_query(segment, static_cast<std::uint32_t>(t));
    }
    const auto scores = trainer.score(std::span(&batch, 1));
    std::vector<float> scored;
    for (const TokenScore& score : scores.front()) {
      scored.push_back(score.logprob);
    }
    largest = std::max(largest, largest_difference(scored, replies[i].logprobs));
  }
  return largest;
}

struct Numbers {
  const char* weights;
  const char* cache;
  double tolerance;  // on shared weights
};

// What a policy has sampled, scored again by the trainer on the same rounded weights: what is left is the
// rounding of keys and values.
TEST(EngineAdapter, TrainerOnRoundedWeightsAgreesWithTheEngine) {
  for (const Numbers& numbers : {Numbers{"fp32", "fp32", 1e-4},
                                 Numbers{"bf16", "fp32", 1e-4},
                                 Numbers{"int8", "fp32", 2e-3},
                                 Numbers{"fp32", "int16", 2e-3},
                                 Numbers{"bf16", "int16", 2e-3},
                                 Numbers{"int8", "int16", 2e-3}}) {
    for (const Family& family : kFamilies) {
      const TransformerWeights weights = weights_of(family);
      const LoraAdapter adapter = adapter_of(weights.config);
      TransformerWeights frozen = weights;
      round_to_engine_numbers(frozen, numbers.weights);
      const TrainableModel trainer(frozen, adapter, 1);
      for (const Kernels* kernels : available_kernels()) {
        const EngineConfig config = {.weights = numbers.weights,
                                     .cache = numbers.cache,
                                     .kernels = std::string(kernels->name)};
        GenerationEngine engine(frozen, nullptr, config);
        engine.set_adapter(adapter, "adapted");
        // On AMX 16 bits of the activations meet bf16 weights.
        const bool splits = kernels->name == "amx" && std::string(numbers.weights) == "bf16";
        EXPECT_LT(largest_mismatch(trainer, engine), splits ? 2e-2 : numbers.tolerance)
            << family.name << " " << numbers.weights << "/" << numbers.cache << " " << kernels->name;
      }
    }
  }
}

TEST(EngineAdapter, TrainerOnExactWeightsDoesNotAgreeWithANarrowEngine) {
  const TransformerWeights weights = weights_of(kFamilies[0]);
  const LoraAdapter adapter = adapter_of(weights.config);
  const TrainableModel trainer(weights, adapter, 1);
  for (const EngineConfig& config :
       {EngineConfig{.weights = "int8"}, EngineConfig{.weights = "bf16"}, EngineConfig{.cache = "bf16"}}) {
    GenerationEngine engine(weights, nullptr, config);
    engine.set_adapter(adapter, "adapted");
    EXPECT_GT(largest_mismatch(trainer, engine), 1e-3) << config.weights << "/" << config.cache;
  }
}

}  // namespace
}  // namespace dreamgym
