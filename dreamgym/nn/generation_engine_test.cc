#include "dreamgym/nn/generation_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/trie_walk.h"
#include "dreamgym/nn/engine/reference_transformer.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym {
namespace {

// No size is a multiple of a vector's, so that padding is at work everywhere.
TransformerConfig small_config() {
  TransformerConfig config;
  config.vocab_size = 70;
  config.hidden_size = 40;
  config.num_layers = 2;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 12;
  config.intermediate_size = 56;
  config.max_position = 192;
  return config;
}

// Drawn weights whose convolutions and norms matter and whose distributions are peaked.
TransformerWeights weights_of(const TransformerConfig& config, std::uint64_t seed = 1) {
  TransformerWeights weights = initial_weights(config, seed);
  Rng rng(seed);
  for (auto& [name, array] : weights.arrays) {
    const bool convolution = name.find("convolution") != std::string::npos;
    const bool norm = name.find("norm") != std::string::npos;
    for (float& value : array.values) {
      value += static_cast<float>((convolution || norm ? 0.2 : 0.0) * rng.normal());
      value *= name == "model.embed_tokens.weight" ? 20.0F : 1.0F;
    }
  }
  weights.version = "test/" + std::to_string(seed);
  return weights;
}

std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed, TokenId vocabulary = 70) {
  Rng rng(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(vocabulary)));
  }
  return tokens;
}

GenerationRequest request_of(std::vector<TokenId> context, std::uint64_t seed = 0) {
  GenerationRequest request;
  request.context = std::move(context);
  request.max_tokens = 12;
  request.seed = seed;
  return request;
}

GenerationEngine engine_of(const TransformerWeights& weights, EngineConfig config = {}) {
  return {weights, nullptr, std::move(config)};
}

GenerationReply ask(GenerationEngine& engine, const GenerationRequest& request) {
  return engine.generate(std::span(&request, 1)).front();
}

void expect_same(const GenerationReply& a, const GenerationReply& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.logprobs, b.logprobs);
  EXPECT_EQ(a.finish, b.finish);
}

// Three shapes of choice: several at the root, a forced middle, a choice at the end.
std::shared_ptr<const TokenTrie> some_choices() {
  return std::make_shared<TokenTrie>(std::vector<std::vector<TokenId>>{
      {5, 6, 7, 8, 1}, {5, 6, 7, 9, 1}, {5, 20, 1}, {30, 31, 32, 33, 1}, {40, 1}});
}

// Requests of every kind: free and chosen, greedy and not, short and long contexts.
std::vector<GenerationRequest> mixed_requests(std::size_t count) {
  std::vector<GenerationRequest> requests;
  for (std::size_t i = 0; i < count; ++i) {
    GenerationRequest request = request_of(random_tokens(1 + i * 7 % 90, i), i);
    request.temperature = i % 3 == 0 ? 0.0 : 0.5 + 0.1 * static_cast<double>(i % 7);
    if (i % 4 == 1) {
      request.choices = some_choices();
    } else {
      request.stop = {3, 4};
    }
    request.session = i % 2 == 0 ? i + 1 : 0;
    requests.push_back(std::move(request));
  }
  return requests;
}

// Holds a reply against the plain transformer: each log-probability, and the choice where greedy.
void expect_reference(const TransformerWeights& weights,
                      const GenerationRequest& request,
                      const GenerationReply& reply) {
  std::vector<TokenId> tokens = request.context;
  tokens.insert(tokens.end(), reply.tokens.begin(), reply.tokens.end());
  const auto logits = engine::reference_logits(weights, tokens);
  const auto allowed = request.choices ? allowed_along(*request.choices, reply.tokens)
                                       : std::vector<std::vector<TokenId>>(reply.tokens.size());
  const double temperature = request.temperature > 0 ? request.temperature : 1.0;
  for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
    std::vector<double> row = logits[request.context.size() + i - 1];
    if (request.choices) {
      std::vector<double> masked(row.size(), -std::numeric_limits<double>::infinity());
      for (const TokenId token : allowed[i]) {
        masked[static_cast<std::size_t>(token)] = row[static_cast<std::size_t>(token)];
      }
      row = masked;
    }
    EXPECT_NEAR(
        reply.logprobs[i], engine::reference_logprob(row, temperature, reply.tokens[i]), 5e-5);
    if (request.temperature == 0) {
      EXPECT_EQ(reply.tokens[i], std::ranges::max_element(row) - row.begin());
    }
  }
}

TEST(GenerationEngine, SaysWhatThePlainTransformerSaysWithEveryKernel) {
  const TransformerWeights weights = weights_of(small_config());
  for (const Kernels* kernels : available_kernels()) {
    EngineConfig config;
    config.kernels = kernels->name;
    GenerationEngine engine = engine_of(weights, config);
    const auto requests = mixed_requests(12);
    const auto replies = engine.generate(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      ASSERT_FALSE(replies[i].tokens.empty());
      expect_reference(weights, requests[i], replies[i]);
    }
  }
}

TEST(GenerationEngine, RunsOtherShapesOfTransformer) {
  TransformerConfig untied = small_config();
  untied.tied_embeddings = false;
  untied.convolution_taps = 0;
  untied.num_kv_heads = 4;
  TransformerConfig wide = small_config();
  wide.convolution_taps = 2;
  wide.num_heads = 3;
  wide.num_kv_heads = 1;
  wide.head_dim = 64;
  wide.intermediate_size = 530;
  wide.num_layers = 1;
  TransformerConfig one_tap = small_config();
  one_tap.convolution_taps = 1;
  one_tap.vocab_size = 33;
  for (const TransformerConfig& config : {untied, wide, one_tap}) {
    const TransformerWeights weights = weights_of(config);
    GenerationEngine engine = engine_of(weights);
    GenerationRequest request = request_of(random_tokens(45, 3, 33));
    request.session = 1;
    expect_reference(weights, request, ask(engine, request));
    request.context.resize(30);
    expect_reference(weights, request, ask(engine, request));
  }
}

TEST(GenerationEngine, AgreesBitForBitAcrossVectorWidths) {
  if (available_kernels().size() < 3) {
    GTEST_SKIP() << "needs AVX-512";
  }
  const TransformerWeights weights = weights_of(small_config());
  EngineConfig config;
  config.kernels = "avx2";
  GenerationEngine narrow = engine_of(weights, config);
  GenerationEngine wide = engine_of(weights);
  const auto requests = mixed_requests(20);
  const auto a = narrow.generate(requests);
  const auto b = wide.generate(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    expect_same(a[i], b[i]);
  }
}

TEST(GenerationEngine, RepliesDoNotDependOnBatchThreadsOrChunks) {
  const TransformerWeights weights = weights_of(small_config());
  GenerationEngine engine = engine_of(weights);
  const auto requests = mixed_requests(64);
  const auto together = engine.generate(requests);
  for (const auto& [threads, chunk] : {std::pair{2, 64}, {3, 7}, {1, 1}}) {
    GenerationEngine other = engine_of(weights,
                                       {.num_threads = static_cast<std::size_t>(threads),
                                        .prefill_chunk_tokens = static_cast<std::size_t>(chunk)});
    const auto replies = other.generate(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      expect_same(replies[i], together[i]);
    }
  }
  GenerationEngine alone = engine_of(weights);
  for (std::size_t i = 0; i < requests.size(); i += 5) {
    expect_same(ask(alone, requests[i]), together[i]);
  }
}

TEST(GenerationEngine, SessionsThatAppendAndGoBackReplyAsIfTheyHadReadAnew) {
  const TransformerWeights weights = weights_of(small_config());
  GenerationEngine engine = engine_of(weights);
  Rng rng(7);
  std::vector<TokenId> tokens = random_tokens(10, 1);
  for (std::uint64_t step = 0; step < 60; ++step) {
    GenerationRequest request = request_of(tokens, step);
    request.session = 9;
    request.max_tokens = rng.below(6);
    request.kept_tokens = rng.below(3) == 0 ? 0 : rng.below(tokens.size() + 1);
    request.choices = rng.below(3) == 0 ? some_choices() : nullptr;
    const GenerationReply reply = ask(engine, request);
    request.session = 0;
    GenerationEngine fresh = engine_of(weights);
    expect_same(reply, ask(fresh, request));
    // Go on after the reply, after the context, after the kept part, or anywhere.
    const std::size_t turn = rng.below(5);
    if (turn <= 1) {
      tokens.insert(tokens.end(), reply.tokens.begin(), reply.tokens.end());
    } else if (turn == 2 && request.kept_tokens > 0) {
      tokens.resize(request.kept_tokens);
    } else if (turn == 3 || tokens.size() > 120) {
      tokens.resize(1 + rng.below(tokens.size()));
    }
    const auto added = random_tokens(rng.below(20), 1000 + step);
    tokens.insert(tokens.end(), added.begin(), added.end());
  }
  EXPECT_GT(engine.counters().reused_tokens, engine.counters().prefill_tokens);
}

TEST(GenerationEngine, ReadsOnlyWhatIsNewAfterAReplyAndAfterTheKeptPart) {
  GenerationEngine engine = engine_of(weights_of(small_config()));
  GenerationRequest request = request_of(random_tokens(50, 1));
  request.session = 1;
  request.kept_tokens = 40;
  ask(engine, request);
  EXPECT_EQ(engine.counters().prefill_tokens, 50U);
  // Another tail after the kept part.
  request.context.resize(40);
  const auto tail = random_tokens(15, 2);
  request.context.insert(request.context.end(), tail.begin(), tail.end());
  request.kept_tokens = 0;
  const GenerationReply reply = ask(engine, request);
  EXPECT_EQ(engine.counters().prefill_tokens, 50U + 15U);
  EXPECT_EQ(engine.counters().reused_tokens, 40U);
  // After the reply: its last token has been sampled but not read.
  request.context.insert(request.context.end(), reply.tokens.begin(), reply.tokens.end());
  request.context.push_back(2);
  ask(engine, request);
  EXPECT_EQ(engine.counters().prefill_tokens, 50U + 15U + 2U);
  // The same context once more: only its last token.
  ask(engine, request);
  EXPECT_EQ(engine.counters().prefill_tokens, 50U + 15U + 2U + 1U);
}

TEST(GenerationEngine, ForcedTokensCostNoChoiceAndHaveLogprobZero) {
  const TransformerWeights weights = weights_of(small_config());
  GenerationEngine engine = engine_of(weights);
  GenerationRequest request = request_of(random_tokens(20, 1));
  request.choices = std::make_shared<TokenTrie>(
      std::vector<std::vector<TokenId>>{{5, 6, 7, 8, 9, 1}, {5, 6, 7, 10, 11, 1}});
  const GenerationReply reply = ask(engine, request);
  EXPECT_EQ(reply.finish, FinishReason::kChoice);
  ASSERT_EQ(reply.tokens.size(), 6U);
  EXPECT_TRUE(is_path(*request.choices, reply.tokens));
  for (const std::size_t i : {0, 1, 2, 4, 5}) {
    EXPECT_EQ(reply.logprobs[i], 0.0F);
  }
  EXPECT_LT(reply.logprobs[3], 0.0F);
  EXPECT_EQ(engine.counters().sampled_tokens, 1U);
  EXPECT_EQ(engine.counters().forced_tokens, 5U);
  expect_reference(weights, request, reply);
}

TEST(GenerationEngine, ComputesNothingForASingleChoice) {
  GenerationEngine engine = engine_of(weights_of(small_config()));
  GenerationRequest request = request_of(random_tokens(20, 1));
  request.choices = std::make_shared<TokenTrie>(std::vector<std::vector<TokenId>>{{5, 6, 1}});
  const GenerationReply reply = ask(engine, request);
  EXPECT_EQ(reply.tokens, (std::vector<TokenId>{5, 6, 1}));
  EXPECT_EQ(reply.finish, FinishReason::kChoice);
  EXPECT_EQ(engine.counters().prefill_tokens, 0U);
}

TEST(GenerationEngine, DrawsTokensAsOftenAsTheirProbabilitySays) {
  TransformerConfig config = small_config();
  config.vocab_size = 5;
  const TransformerWeights weights = weights_of(config);
  GenerationEngine engine = engine_of(weights);
  const std::vector<TokenId> context{1, 2, 3};
  std::vector<GenerationRequest> requests(4000, request_of(context));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].max_tokens = 1;
    requests[i].temperature = 2.0;
    requests[i].seed = i;
  }
  std::vector<double> share(5);
  for (const GenerationReply& reply : engine.generate(requests)) {
    share[static_cast<std::size_t>(reply.tokens[0])] += 1.0 / 4000;
  }
  const auto logits = engine::reference_logits(weights, context).back();
  for (TokenId token = 0; token < 5; ++token) {
    const double expected = std::exp(engine::reference_logprob(logits, 2.0, token));
    // Four standard deviations.
    EXPECT_NEAR(share[static_cast<std::size_t>(token)],
                expected,
                4 * std::sqrt(expected * (1 - expected) / 4000) + 1e-9);
  }
}

TEST(GenerationEngine, StreamsDependOnTheSeedAlone) {
  GenerationEngine engine = engine_of(weights_of(small_config()));
  GenerationRequest request = request_of(random_tokens(20, 1), 5);
  request.temperature = 3.0;
  const GenerationReply first = ask(engine, request);
  expect_same(ask(engine, request), first);
  request.seed = 6;
  EXPECT_NE(ask(engine, request).tokens, first.tokens);
}

TEST(GenerationEngine, GreedyTiesGoToTheLowestId) {
  TransformerWeights weights = weights_of(small_config());
  for (float& value : weights.arrays.at("model.norm.weight").values) {
    value = 0;  // all logits 0
  }
  GenerationEngine engine = engine_of(weights);
  GenerationRequest request = request_of({7});
  request.temperature = 0;
  request.max_tokens = 1;
  const GenerationReply reply = ask(engine, request);
  EXPECT_EQ(reply.tokens, std::vector<TokenId>{0});
  EXPECT_NEAR(reply.logprobs[0], -std::log(70.0), 1e-6);
}

TEST(GenerationEngine, EndsWithTheStopTokenOrAtItsLimits) {
  const TransformerWeights weights = weights_of(small_config());
  GenerationEngine engine = engine_of(weights);
  GenerationRequest request = request_of(random_tokens(20, 1));
  request.temperature = 0;
  const GenerationReply free = ask(engine, request);
  EXPECT_EQ(free.finish, FinishReason::kLength);
  EXPECT_EQ(free.tokens.size(), 12U);
  request.stop = {free.tokens[4]};
  const GenerationReply stopped = ask(engine, request);
  EXPECT_EQ(stopped.finish, FinishReason::kStop);
  EXPECT_EQ(stopped.tokens.back(), free.tokens[4]);
  EXPECT_LE(stopped.tokens.size(), 5U);
  request.stop.clear();
  request.context = random_tokens(190, 1);
  const GenerationReply cut = ask(engine, request);
  EXPECT_EQ(cut.finish, FinishReason::kLength);
  EXPECT_EQ(cut.tokens.size(), 2U);
  request.max_tokens = 0;
  EXPECT_TRUE(ask(engine, request).tokens.empty());
}

TEST(GenerationEngine, DropsTheLeastRecentlyUsedSessionsBeyondItsBudget) {
  const TransformerWeights weights = weights_of(small_config());
  GenerationEngine roomy = engine_of(weights);
  GenerationRequest request = request_of(random_tokens(60, 1));
  for (request.session = 1; request.session <= 4; ++request.session) {
    ask(roomy, request);
  }
  const std::size_t bytes = roomy.cache_bytes();
  EXPECT_GT(bytes, 0U);
  GenerationEngine tight = engine_of(weights, {.cache_budget_bytes = bytes * 5 / 8});
  for (request.session = 1; request.session <= 4; ++request.session) {
    ask(tight, request);
  }
  EXPECT_LE(tight.cache_bytes(), bytes * 5 / 8);
  const std::uint64_t before = tight.counters().prefill_tokens;
  request.session = 4;  // still there
  ask(tight, request);
  EXPECT_EQ(tight.counters().prefill_tokens, before + 1);
  request.session = 1;  // dropped
  expect_same(ask(tight, request), ask(roomy, request));
  EXPECT_EQ(tight.counters().prefill_tokens, before + 1 + 60);
}

TEST(GenerationEngine, ForgetsReleasedSessions) {
  GenerationEngine engine = engine_of(weights_of(small_config()));
  GenerationRequest request = request_of(random_tokens(30, 1));
  request.session = 3;
  ask(engine, request);
  const std::vector<std::uint64_t> sessions{3, 77};
  engine.release(sessions);
  EXPECT_EQ(engine.cache_bytes(), 0U);
}

TEST(GenerationEngine, NewWeightsLeaveNothingOfTheOld) {
  GenerationEngine engine = engine_of(weights_of(small_config(), 1));
  GenerationRequest request = request_of(random_tokens(30, 1));
  request.session = 3;
  ask(engine, request);
  engine.set_weights(weights_of(small_config(), 2));
  GenerationEngine fresh = engine_of(weights_of(small_config(), 2));
  expect_same(ask(engine, request), ask(fresh, request));
  EXPECT_EQ(engine.version(), "test/2");
  TransformerConfig other = small_config();
  other.num_layers = 1;
  EXPECT_THROW(engine.set_weights(weights_of(other)), Error);
}

TEST(GenerationEngine, RefusesRequestsItCanNotServe) {
  GenerationEngine engine = engine_of(weights_of(small_config()));
  EXPECT_EQ(engine.max_context_tokens(), 192U);
  const auto message_of = [&](const std::vector<GenerationRequest>& requests) -> std::string {
    try {
      engine.generate(requests);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
      return error.what();
    }
    return "";
  };
  const std::string too_long = message_of({request_of(random_tokens(193, 1))});
  EXPECT_NE(too_long.find("193"), std::string::npos) << too_long;
  EXPECT_NE(too_long.find("192"), std::string::npos) << too_long;
  EXPECT_NE(message_of({request_of({})}), "");
  EXPECT_NE(message_of({request_of({1, 70})}).find("70"), std::string::npos);
  GenerationRequest request = request_of({1, 2});
  request.kept_tokens = 3;
  EXPECT_NE(message_of({request}), "");
  request.kept_tokens = 0;
  request.temperature = -1;
  EXPECT_NE(message_of({request}), "");
  request.temperature = 1;
  request.choices = std::make_shared<TokenTrie>(std::vector<std::vector<TokenId>>{{70}, {71}});
  EXPECT_NE(message_of({request}), "");
  request.choices = nullptr;
  request.session = 5;
  EXPECT_NE(message_of({request, request}).find("5"), std::string::npos);
  EXPECT_EQ(engine.cache_bytes(), 0U);
}

TEST(GenerationEngine, SaysWhenTheWeightsHaveDiverged) {
  TransformerWeights weights = weights_of(small_config());
  weights.arrays.at("model.layers.1.mlp.down_proj.weight").values[3] =
      std::numeric_limits<float>::quiet_NaN();
  GenerationEngine engine = engine_of(weights, {.num_threads = 2});
  const std::vector<GenerationRequest> requests(3, request_of({1, 2, 3}));
  try {
    engine.generate(requests);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDiverged);
  }
}

}  // namespace
}  // namespace dreamgym
