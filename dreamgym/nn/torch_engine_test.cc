// The engine on libtorch's operations says what it says on our own kernels, whatever is shared, taken back or
// computed beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/internal/engine_cases.h"
#include "dreamgym/nn/running_batch.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

using internal::random_tokens;

constexpr double kTolerance = 1e-4;
const std::string kDevice = "torch:cpu";

struct Family {
  internal::ModelFamily shape;
  RopeScaling::Kind scaling;
};

constexpr Family kFamilies[] = {{{"llama", false, false, false, 0}, RopeScaling::Kind::kLlama3},
                                {{"llama_linear", true, false, false, 0}, RopeScaling::Kind::kLinear},
                                {{"qwen2", true, true, false, 0}, RopeScaling::Kind::kNone},
                                {{"qwen3", true, false, true, 0}, RopeScaling::Kind::kNone},
                                {{"dreamgym_nano", true, false, false, 4}, RopeScaling::Kind::kNone}};

// Drawn weights with peaked distributions; norms, biases and convolutions are at work.
TransformerWeights weights_of(const Family& family, std::uint64_t seed = 5) {
  TransformerConfig config = internal::config_of(family.shape);
  config.hidden_size = 40;
  config.head_dim = 32;
  config.max_position = 640;
  config.rope_scaling = {.kind = family.scaling, .factor = 4.0, .original_max_position = 64};
  TransformerWeights weights = initial_weights(config, seed);
  Rng rng(seed);
  for (auto& [name, array] : weights.arrays) {
    for (float& value : array.values) {
      value += static_cast<float>(0.1 * rng.normal());
    }
  }
  for (float& value : weights.arrays.at(internal::head_of(family.shape)).values) {
    value *= 3.0F;
  }
  weights.version = family.shape.name;
  return weights;
}

void expect_near(const std::vector<float>& got, const std::vector<float>& expected, const std::string& where) {
  ASSERT_EQ(got.size(), expected.size()) << where;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], kTolerance) << where << ", " << i;
  }
}

void expect_near(const GenerationReply& got, const GenerationReply& expected, const std::string& where) {
  EXPECT_EQ(got.tokens, expected.tokens) << where;
  EXPECT_EQ(got.finish, expected.finish) << where;
  expect_near(got.logprobs, expected.logprobs, where);
}

// A group of three with one prompt, one that departs from it early, one that is like none, one that chooses;
// greedy and not.
std::vector<GenerationRequest> mixed_requests() {
  std::vector<GenerationRequest> requests;
  for (std::uint64_t i = 0; i < 6; ++i) {
    GenerationRequest request;
    request.session = i + 1;
    request.context = random_tokens(i == 4 ? 33 : 75, i == 4 ? 2 : 1);
    request.seed = i;
    request.max_tokens = 12;
    request.temperature = i % 2 == 0 ? 0.0 : 1.0;
    if (i == 3) {
      request.context.resize(50);
      request.context.push_back(7);
    }
    requests.push_back(std::move(request));
  }
  requests.back().choices = std::make_shared<TokenTrie>(
      std::vector<std::vector<TokenId>>{{1, 2, 3, 4}, {1, 2, 5, 6, 7}, {1, 2, 5, 8}, {40, 41}});
  return requests;
}

class TorchEngine : public testing::TestWithParam<Family> {
 protected:
  [[nodiscard]] GenerationEngine ours(EngineConfig config = {}) const {
    return {weights_, nullptr, std::move(config)};
  }
  [[nodiscard]] GenerationEngine torch(EngineConfig config = {}) const {
    config.device = kDevice;
    return {weights_, nullptr, std::move(config)};
  }
  TransformerWeights weights_ = weights_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Families, TorchEngine, testing::ValuesIn(kFamilies), [](const auto& family) {
  return std::string(family.param.shape.name);
});

TEST_P(TorchEngine, ScoresAsOurKernelsInChunksOfAnySize) {
  const auto tokens = random_tokens(150, 3);
  const SequenceScore expected = ours().score(tokens);
  for (const std::size_t chunk : {7, 64, 200}) {
    GenerationEngine engine = torch({.prefill_chunk_tokens = chunk});
    const SequenceScore score = engine.score(tokens);
    expect_near(score.logprobs, expected.logprobs, "chunk " + std::to_string(chunk));
    expect_near(score.last_logits, expected.last_logits, "last logits");
  }
}

TEST_P(TorchEngine, RepliesAsOurKernelsThroughSharingAndRewinding) {
  GenerationEngine engine = torch({.prefill_chunk_tokens = 24});
  GenerationEngine reference = ours({.prefill_chunk_tokens = 24});
  auto requests = mixed_requests();
  for (int turn = 0; turn < 4; ++turn) {
    const auto replies = engine.generate(requests);
    const auto expected = reference.generate(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::string where = "turn " + std::to_string(turn) + ", request " + std::to_string(i);
      expect_near(replies[i], expected[i], where);
      GenerationEngine alone = torch();
      expect_near(replies[i], alone.generate(std::span(&requests[i], 1)).front(), where + " alone");
      auto& context = requests[i].context;
      if (i % 3 == 0) {
        context.resize(40 + i);  // before the end of what was shared
      } else {
        context.insert(context.end(), expected[i].tokens.begin(), expected[i].tokens.end());
      }
      const auto more = random_tokens(5, 100 * i + static_cast<std::uint64_t>(turn));
      context.insert(context.end(), more.begin(), more.end());
    }
    EXPECT_EQ(engine.counters().prefill_tokens, reference.counters().prefill_tokens);
    EXPECT_EQ(engine.counters().reused_tokens, reference.counters().reused_tokens);
  }
}

TEST_P(TorchEngine, KeepsWhatIsSharedOnce) {
  std::vector<GenerationRequest> group(8);
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i].session = i + 1;
    group[i].context = random_tokens(512, 5);
    group[i].seed = i;
    group[i].max_tokens = 8;
  }
  GenerationEngine engine = torch();
  GenerationEngine reference = ours();
  const auto replies = engine.generate(group);
  const auto expected = reference.generate(group);
  for (std::size_t i = 0; i < group.size(); ++i) {
    expect_near(replies[i], expected[i], std::to_string(i));
  }
  EXPECT_EQ(engine.counters().prefill_tokens, reference.counters().prefill_tokens);
  EXPECT_EQ(engine.cache_bytes(), reference.cache_bytes());
  engine.release(std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(engine.cache_bytes(), 0U);
  // Its blocks are taken again.
  expect_near(engine.generate(std::span(group).first(1)).front(), expected[0], "again");
}

TEST_P(TorchEngine, ComputesAnAdapterBesideItsWeights) {
  const auto tokens = random_tokens(70, 1);
  for (const auto& targets : std::vector<std::vector<std::string>>{
           {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}, {"up_proj"}, {"v_proj"}}) {
    const LoraAdapter adapter = internal::learnt_adapter(weights_.config, 3, targets, 0.2);
    GenerationEngine engine = torch();
    GenerationEngine reference = ours();
    const auto without = engine.score(tokens).logprobs;
    engine.set_adapter(adapter, "adapted");
    reference.set_adapter(adapter, "adapted");
    EXPECT_EQ(engine.version(), "adapted");
    expect_near(engine.score(tokens).logprobs, reference.score(tokens).logprobs, targets.front());
    EXPECT_NE(engine.score(tokens).logprobs, without);
    engine.set_weights(weights_);
    EXPECT_EQ(engine.version(), weights_.version);
    EXPECT_EQ(engine.score(tokens).logprobs, without);
  }
}

TEST_P(TorchEngine, TakesNewWeights) {
  const auto tokens = random_tokens(40, 1);
  const TransformerWeights others = weights_of(GetParam(), 6);
  GenerationEngine engine = torch();
  (void)engine.generate(mixed_requests());
  engine.set_weights(others);
  EXPECT_EQ(engine.cache_bytes(), 0U);
  GenerationEngine reference(others, nullptr, {});
  expect_near(engine.score(tokens).logprobs, reference.score(tokens).logprobs, "new weights");
}

TEST_P(TorchEngine, ServesARunningBatch) {
  GenerationEngine engine = torch({.prefill_chunk_tokens = 16});
  const SteadyClock clock;
  RunningBatch batch(engine, {.max_running = 4}, clock);
  const auto requests = mixed_requests();
  std::vector<RunningBatch::Ended> ended;
  const auto step = [&] { std::ranges::move(batch.step(), std::back_inserter(ended)); };
  for (const GenerationRequest& request : requests) {
    (void)*batch.submit({.request = request});
    step();
  }
  while (!batch.idle()) {
    step();
  }
  const auto expected = ours().generate(requests);
  ASSERT_EQ(ended.size(), requests.size());
  for (const RunningBatch::Ended& one : ended) {
    expect_near(one.reply, expected[one.ticket - 1], std::to_string(one.ticket));
  }
}

// Each product rounds its result to 8 bits: of the order of the same matrices' rounding itself.
TEST_P(TorchEngine, KeepsNarrowNumbersNearTheWideOnes) {
  const auto tokens = random_tokens(120, 3);
  const auto wide = ours().score(tokens).logprobs;
  const auto mean_distance = [&](EngineConfig config) {
    GenerationEngine engine = torch(std::move(config));
    const auto narrow = engine.score(tokens).logprobs;
    double sum = 0;
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      sum += std::abs(double{narrow[i]} - double{wide[i]});
    }
    return sum / static_cast<double>(narrow.size());
  };
  const double cache = mean_distance({.cache = "bf16"});
  const double weights = mean_distance({.weights = "bf16"});
  RecordProperty("mean_distance_cache", std::to_string(cache));
  RecordProperty("mean_distance_weights", std::to_string(weights));
  EXPECT_GT(cache, 0);
  EXPECT_LT(cache, 0.05);
  EXPECT_GT(weights, cache / 100);
  EXPECT_LT(weights, 0.1);
}

std::string refusal_of(const EngineConfig& config) {
  const TransformerWeights weights = weights_of(kFamilies[0]);
  return message_of([&] { return GenerationEngine(weights, nullptr, config).version(); });
}

TEST(TorchEngineRefuses, DevicesOfAnotherName) {
  for (const char* name : {"cpu", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1000", "torch:cuda"}) {
    const std::string message = refusal_of({.device = name});
    EXPECT_NE(message.find(std::string("\"") + name + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("torch:cpu"), std::string::npos) << message;
  }
}

TEST(TorchEngineRefuses, NumbersThatOnlyOurKernelsHave) {
  EXPECT_NE(refusal_of({.weights = "int8", .device = kDevice}).find("int8"), std::string::npos);
  EXPECT_NE(refusal_of({.cache = "int16", .device = kDevice}).find("int16"), std::string::npos);
  EXPECT_NE(refusal_of({.weights = "fp8", .device = kDevice}).find("fp8"), std::string::npos);
}

TEST(TorchEngineRefuses, AGpuThatIsNotThere) {
  const std::string message = refusal_of({.device = "cuda"});
  if (message.empty()) {
    GTEST_SKIP() << "there is one";
  }
  EXPECT_NE(message.find("CUDA=1 make setup"), std::string::npos) << message;
}

TEST(TorchEngineRefuses, WeightsThatAreNotWhole) {
  TransformerWeights weights = weights_of(kFamilies[0]);
  weights.arrays.erase("model.layers.1.mlp.down_proj.weight");
  const std::string message =
      message_of([&] { return GenerationEngine(weights, nullptr, {.device = kDevice}).version(); });
  EXPECT_NE(message.find("model.layers.1.mlp.down_proj.weight"), std::string::npos) << message;
}

}  // namespace
}  // namespace dreamgym
