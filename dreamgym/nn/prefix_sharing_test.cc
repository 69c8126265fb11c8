// Requests that begin alike: what they share is computed and kept once, and nobody can tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/running_batch.h"

namespace dreamgym {
namespace {

TransformerWeights weights_with(std::int64_t taps, std::int64_t num_layers = 3) {
  TransformerConfig config = transformer_preset("nano-s");
  config.num_layers = num_layers;
  config.vocab_size = 60;
  config.max_position = 640;
  config.convolution_taps = taps;
  TransformerWeights weights = initial_weights(config, 3);
  Rng rng(4);
  for (auto& [name, array] : weights.arrays) {
    for (float& value : array.values) {
      value += static_cast<float>(0.1 * rng.normal());
    }
  }
  return weights;
}

std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(60));
  }
  return tokens;
}

// Two groups of four that share a prompt each, one context that begins like a part of the first
// group's, one that is like none, one that goes on behind the first group's prompt, and one of that
// group that has to choose, its first tokens given.
std::vector<GenerationRequest> group_requests() {
  std::vector<GenerationRequest> requests;
  for (std::uint64_t group = 0; group < 2; ++group) {
    for (std::uint64_t member = 0; member < 4; ++member) {
      GenerationRequest request;
      request.session = requests.size() + 1;
      request.context = random_tokens(100, group);
      request.seed = 7 * group + member;
      request.max_tokens = 20;
      request.kept_tokens = member == 3 ? 40 : 0;
      requests.push_back(request);
    }
  }
  GenerationRequest part = requests[0];
  part.session = 9;
  part.context.resize(50);
  const auto tail = random_tokens(30, 11);
  part.context.insert(part.context.end(), tail.begin(), tail.end());
  requests.push_back(part);
  GenerationRequest other = requests[0];
  other.session = 10;
  other.context = random_tokens(64, 12);
  requests.push_back(other);
  GenerationRequest longer = requests[0];
  longer.session = 11;
  const auto more = random_tokens(20, 13);
  longer.context.insert(longer.context.end(), more.begin(), more.end());
  requests.push_back(longer);
  GenerationRequest choosing = requests[0];
  choosing.session = 12;
  choosing.choices = std::make_shared<TokenTrie>(
      std::vector<std::vector<TokenId>>{{1, 2, 3, 4}, {1, 2, 5, 6, 7}, {1, 2, 5, 8}});
  requests.push_back(choosing);
  return requests;
}

class PrefixSharing : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Taps, PrefixSharing, testing::Values(0, 4));

TEST_P(PrefixSharing, ChangesNoReplyNowOrLater) {
  const TransformerWeights weights = weights_with(GetParam());
  for (const auto& [threads, cache] : std::vector<std::pair<std::size_t, std::string>>{
           {1, "fp32"}, {3, "fp32"}, {3, "bf16"}, {1, "int16"}}) {
    GenerationEngine together(weights, nullptr, {.num_threads = threads, .cache = cache});
    auto requests = group_requests();
    for (int turn = 0; turn < 3; ++turn) {
      const auto replies = together.generate(requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        GenerationEngine alone(weights, nullptr, {.cache = cache});
        const auto expected = alone.generate(std::span(&requests[i], 1)).front();
        EXPECT_EQ(replies[i].tokens, expected.tokens) << "request " << i << ", turn " << turn;
        EXPECT_EQ(replies[i].logprobs, expected.logprobs) << "request " << i << ", turn " << turn;
        // Each goes its own way, some from before the end of what was shared.
        auto& context = requests[i].context;
        if (i % 3 == 0) {
          context.resize(45 + i);
        } else {
          context.insert(context.end(), replies[i].tokens.begin(), replies[i].tokens.end());
        }
        const auto more = random_tokens(5, 100 * i + static_cast<std::uint64_t>(turn));
        context.insert(context.end(), more.begin(), more.end());
        requests[i].kept_tokens = 0;
      }
    }
  }
}

TEST_P(PrefixSharing, ReadsAndKeepsACommonPromptOnce) {
  const TransformerWeights weights = weights_with(GetParam());
  auto requests = group_requests();
  requests.resize(4);
  for (GenerationRequest& request : requests) {
    request.max_tokens = 1;
  }
  GenerationEngine engine(weights, nullptr, {});
  engine.generate(requests);
  EXPECT_EQ(engine.counters().prefill_tokens, 99U + 4U);
  EXPECT_EQ(engine.counters().reused_tokens, 3U * 99U);
  const std::size_t bytes = engine.cache_bytes();
  GenerationEngine alone(weights, nullptr, {});
  alone.generate(std::span(requests).first(1));
  if (GetParam() == 0) {
    // Three whole blocks are kept once, the last one by each.
    EXPECT_LT(bytes, 2 * alone.cache_bytes());
  }
  engine.release(std::vector<std::uint64_t>{1, 2, 3, 4});
  EXPECT_EQ(engine.cache_bytes(), 0U);
}

// A group of 8 with one prompt: what it computes and keeps, against the prompt once and 8 tails.
class GroupOfEight : public testing::Test {
 protected:
  static constexpr std::size_t kMembers = 8;
  static constexpr std::size_t kTail = 24;

  static std::vector<GenerationRequest> group_of(std::size_t prompt_tokens) {
    std::vector<GenerationRequest> requests(kMembers);
    for (std::size_t i = 0; i < kMembers; ++i) {
      requests[i].session = i + 1;
      requests[i].context = random_tokens(prompt_tokens, 5);
      requests[i].seed = i;
      requests[i].max_tokens = kTail;
    }
    return requests;
  }

  double times_the_bound(const GenerationEngine& engine, std::size_t prompt_tokens) const {
    const TransformerConfig& config = weights_.config;
    const auto token_bytes =
        static_cast<double>(2 * config.num_layers * config.num_kv_heads * config.head_dim) * sizeof(float);
    return static_cast<double>(engine.cache_bytes()) /
           (token_bytes * static_cast<double>(prompt_tokens + kMembers * kTail));
  }

  // Deep, so that the token ids, which are kept too, weigh next to nothing.
  TransformerWeights weights_ = weights_with(0, 12);
};

TEST_F(GroupOfEight, KeepsLittleMoreThanTheBoundInOneCall) {
  for (const std::size_t threads : {1, 3}) {
    GenerationEngine engine(weights_, nullptr, {.num_threads = threads});
    engine.generate(group_of(512));
    EXPECT_EQ(engine.counters().prefill_tokens, 512U + 7U);
    EXPECT_LT(times_the_bound(engine, 512), 1.1);
    // Asked again, each computes its last token and nothing is copied for it.
    engine.generate(group_of(512));
    EXPECT_EQ(engine.counters().prefill_tokens, 512U + 7U + 8U);
    EXPECT_LT(times_the_bound(engine, 512), 1.1);
  }
}

TEST_F(GroupOfEight, KeepsLittleMoreThanTheBoundWhereMembersComeOneByOne) {
  const SteadyClock clock;
  std::vector<GenerationReply> expected;
  for (const GenerationRequest& request : group_of(512)) {
    GenerationEngine alone(weights_, nullptr, {});
    expected.push_back(alone.generate(std::span(&request, 1)).front());
  }
  for (const std::size_t threads : {1, 3}) {
    GenerationEngine engine(weights_, nullptr, {.num_threads = threads});
    RunningBatch batch(engine, {}, clock);
    std::vector<RunningBatch::Ended> ended;
    const auto step = [&] { std::ranges::move(batch.step(), std::back_inserter(ended)); };
    for (const GenerationRequest& request : group_of(512)) {
      (void)*batch.submit({.request = request});
      step();
    }
    while (!batch.idle()) {
      step();
    }
    EXPECT_EQ(engine.counters().prefill_tokens, 512U + 7U);
    EXPECT_LT(times_the_bound(engine, 512), 1.1);
    ASSERT_EQ(ended.size(), kMembers);
    for (const RunningBatch::Ended& one : ended) {
      EXPECT_EQ(one.reply.tokens, expected[one.ticket - 1].tokens);
      EXPECT_EQ(one.reply.logprobs, expected[one.ticket - 1].logprobs);
    }
  }
}

TEST_F(GroupOfEight, KeepsAPromptsWholeBlocksOnceAndTheRestForEach) {
  for (const std::size_t prompt : {500, 511, 513, 520}) {
    GenerationEngine engine(weights_, nullptr, {});
    engine.generate(group_of(prompt));
    // Nothing follows a reply's last token, so it is not read.
    const std::size_t blocks_of_each = (prompt % 32 + kTail - 1 + 31) / 32;
    const std::size_t blocks = prompt / 32 + kMembers * blocks_of_each;
    EXPECT_NEAR(times_the_bound(engine, prompt),
                static_cast<double>(32 * blocks) / static_cast<double>(prompt + kMembers * kTail),
                0.01)
        << prompt;
  }
}

}  // namespace
}  // namespace dreamgym
