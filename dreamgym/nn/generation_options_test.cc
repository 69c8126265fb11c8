// What a request may ask beyond tokens and temperature: stop texts, filters; and scoring.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/engine/token_sampler.h"
#include "dreamgym/nn/generation_engine.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

std::shared_ptr<const BpeTokenizer> tokenizer() {
  static const auto kTokenizer = test_tokenizer({"You open the drawer 1. You see a mug 2."});
  return kTokenizer;
}

const TransformerWeights& weights() {
  static const TransformerWeights kWeights = [] {
    TransformerConfig config = transformer_preset("nano-s");
    config.vocab_size = static_cast<std::int64_t>(tokenizer()->vocabulary_size());
    config.max_position = 128;
    TransformerWeights made = initial_weights(config, 4);
    Rng rng(6);
    for (float& value : made.arrays.at("model.embed_tokens.weight").values) {
      value = static_cast<float>(0.3 * rng.normal());  // far from uniform
    }
    return made;
  }();
  return kWeights;
}

GenerationEngine engine() {
  return {weights(), tokenizer(), {}};
}

GenerationRequest request_of(std::uint64_t seed) {
  GenerationRequest request;
  request.context = {5, 9, 2, 7};
  request.max_tokens = 24;
  request.temperature = 1.5;
  request.seed = seed;
  return request;
}

GenerationReply ask(GenerationEngine& model, const GenerationRequest& request) {
  return model.generate(std::span(&request, 1)).front();
}

TEST(GenerationOptions, StopsAtTheTokenThatCompletesAText) {
  GenerationEngine model = engine();
  GenerationRequest request = request_of(3);
  const GenerationReply whole = ask(model, request);
  const std::string text = tokenizer()->decode(whole.tokens);
  ASSERT_GT(text.size(), 8U);
  request.stop_texts = {"never said", text.substr(4, 3)};
  const GenerationReply cut = ask(model, request);
  EXPECT_EQ(cut.finish, FinishReason::kStop);
  ASSERT_LE(cut.tokens.size(), whole.tokens.size());
  EXPECT_TRUE(std::equal(cut.tokens.begin(), cut.tokens.end(), whole.tokens.begin()));
  const std::string said = tokenizer()->decode(cut.tokens);
  EXPECT_NE(said.find(request.stop_texts[1]), std::string::npos);
  const std::string before =
      tokenizer()->decode(std::span(cut.tokens).first(cut.tokens.size() - 1));
  EXPECT_EQ(before.find(request.stop_texts[1]), std::string::npos) << "stopped as soon as it could";
}

TEST(GenerationOptions, FiltersThatLeaveOneTokenAreGreedy) {
  GenerationEngine model = engine();
  GenerationRequest request = request_of(3);
  request.temperature = 0;
  const auto greedy = ask(model, request).tokens;
  request.temperature = 1.5;
  for (const SamplingFilter& filter : {SamplingFilter{.top_k = 1},
                                       SamplingFilter{.top_p = 1e-9},
                                       SamplingFilter{.min_p = 1.0}}) {
    request.filter = filter;
    EXPECT_EQ(ask(model, request).tokens, greedy);
  }
}

TEST(GenerationOptions, LogProbabilitiesStayTheModelsOwn) {
  GenerationEngine model = engine();
  GenerationRequest request = request_of(3);
  request.temperature = 1.0;
  request.filter = {.top_k = 4, .repetition_penalty = 1.3};
  const GenerationReply reply = ask(model, request);
  std::vector<TokenId> whole = request.context;
  whole.insert(whole.end(), reply.tokens.begin(), reply.tokens.end());
  const SequenceScore score = model.score(whole);
  ASSERT_EQ(score.logprobs.size(), whole.size() - 1);
  for (std::size_t i = 0; i < reply.logprobs.size(); ++i) {
    EXPECT_EQ(reply.logprobs[i], score.logprobs[request.context.size() - 1 + i]);
  }
}

TEST(GenerationOptions, ABiasForbidsAndForces) {
  GenerationEngine model = engine();
  GenerationRequest request = request_of(3);
  const TokenId usual = ask(model, request).tokens.front();
  request.filter.bias = {{usual, -1e4F}};
  const auto without = ask(model, request).tokens;
  EXPECT_EQ(std::ranges::count(without, usual), 0);
  request.filter.bias = {{usual, 1e4F}};
  const auto only = ask(model, request).tokens;
  EXPECT_EQ(std::ranges::count(only, usual), static_cast<std::ptrdiff_t>(only.size()));
}

TEST(GenerationOptions, RefusesFiltersOutOfRange) {
  GenerationEngine model = engine();
  for (const SamplingFilter& filter : {SamplingFilter{.top_p = 0},
                                       SamplingFilter{.top_p = 1.1},
                                       SamplingFilter{.min_p = -0.1},
                                       SamplingFilter{.repetition_penalty = 0},
                                       SamplingFilter{.bias = {{100000, 1.0F}}},
                                       SamplingFilter{.bias = {{1, INFINITY}}}}) {
    GenerationRequest request = request_of(3);
    request.filter = filter;
    EXPECT_THROW(ask(model, request), Error);
  }
  GenerationEngine mute(weights(), nullptr, {});
  GenerationRequest request = request_of(3);
  request.stop_texts = {"x"};
  EXPECT_THROW(ask(mute, request), Error);
}

TEST(GenerationOptions, RefusesToScoreWhatItCanNotRead) {
  GenerationEngine model = engine();
  EXPECT_THROW((void)model.score({}), Error);
  EXPECT_THROW((void)model.score(std::vector<TokenId>(129, 1)), Error);
  EXPECT_THROW((void)model.score(std::vector<TokenId>{1, 100000}), Error);
  EXPECT_TRUE(model.score(std::vector<TokenId>{1}).logprobs.empty());
}

TEST(SamplingFilter, DrawsInProportionToWhatIsLeft) {
  const std::vector<float> logits{std::log(0.1F), std::log(0.4F), std::log(0.2F), std::log(0.3F)};
  const auto drawn = [&](const SamplingFilter& filter) {
    std::vector<int> counts(4);
    for (std::uint64_t i = 0; i < 4000; ++i) {
      Rng stream = Rng(1).fork("draw", i);
      const std::vector<TokenId> seen{1, 1};
      ++counts[engine::sample_filtered(logits, {1.0, filter, seen}, stream)];
    }
    return counts;
  };
  const auto two = drawn({.top_k = 2});
  EXPECT_EQ(two[0] + two[2], 0);
  EXPECT_NEAR(two[1] / 4000.0, 4.0 / 7.0, 0.03);
  const auto nucleus = drawn({.top_p = 0.75});  // 0.4 + 0.3 falls short, 0.2 joins
  EXPECT_EQ(nucleus[0], 0);
  EXPECT_NEAR(nucleus[2] / 4000.0, 2.0 / 9.0, 0.03);
  const auto likely = drawn({.min_p = 0.6});  // at least 0.24
  EXPECT_EQ(likely[0] + likely[2], 0);
  const auto penalised = drawn({.repetition_penalty = 2.0});  // log 0.4 doubles: 0.16
  EXPECT_NEAR(penalised[1] / 4000.0, 0.16 / 0.76, 0.03);
}

}  // namespace
}  // namespace dreamgym
