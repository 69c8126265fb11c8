// Replies that are held to a grammar.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/grammar/json_schema.h"
#include "dreamgym/nn/generation_engine.h"
#include "tests/error_message.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "effect": {"enum": ["new", "again", "invalid"]},
    "next_state": {"type": "string", "maxLength": 24},
    "count": {"type": "integer", "minimum": 0, "maximum": 30},
    "done": {"type": "boolean"}
  },
  "required": ["effect", "next_state", "count", "done"]
})";

Path tokenizer_file() { return language_model_data() / "tokenizer/smollm2_tokenizer.json"; }

std::shared_ptr<const PretrainedTokenizer> tokenizer() {
  static const auto kTokenizer =
      std::make_shared<const PretrainedTokenizer>(read_pretrained_tokenizer(tokenizer_file()));
  return kTokenizer;
}

// Random weights: without the grammar it says anything.
const TransformerWeights& weights() {
  static const TransformerWeights kWeights = [] {
    TransformerConfig config;
    config.family = "llama";
    config.vocab_size = static_cast<std::int64_t>(tokenizer()->vocabulary_size());
    config.hidden_size = 32;
    config.num_layers = 1;
    config.num_heads = 2;
    config.num_kv_heads = 1;
    config.head_dim = 16;
    config.intermediate_size = 32;
    config.max_position = 512;
    config.convolution_taps = 0;
    return initial_weights(config, 4);
  }();
  return kWeights;
}

std::shared_ptr<const TokenGrammar> grammar() {
  static const auto kGrammar = std::make_shared<const TokenGrammar>(
      *json_schema_pattern(kSchema, "test"),
      std::make_shared<const TokenSpellings>(*tokenizer()),
      std::vector<TokenId>{2});
  return kGrammar;
}

std::vector<GenerationRequest> requests(double temperature) {
  std::vector<GenerationRequest> all(12);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].context = {1, 40, static_cast<TokenId>(100 + i)};
    all[i].max_tokens = 200;
    all[i].temperature = temperature;
    all[i].seed = i;
    all[i].grammar = grammar();
  }
  return all;
}

TEST(GenerationGrammar, EveryReplySatisfiesTheSchema) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {.num_threads = 2});
  for (const double temperature : {0.0, 1.0}) {
    for (const GenerationReply& reply : engine.generate(requests(temperature))) {
      ASSERT_EQ(reply.finish, FinishReason::kStop);
      const std::string text = tokenizer()->decode(reply.tokens);
      const auto json = nlohmann::json::parse(text, nullptr, false);
      ASSERT_TRUE(json.is_object()) << text;
      EXPECT_EQ(json.size(), 4U);
      EXPECT_LE(json.at("count").get<int>(), 30);
      EXPECT_TRUE(json.at("done").is_boolean());
    }
  }
}

TEST(GenerationGrammar, LogProbabilitiesAreTheModelsOwn) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {});
  const auto request = requests(1.0).front();
  const GenerationReply reply = engine.generate(std::span(&request, 1)).front();
  std::vector<TokenId> whole = request.context;
  whole.insert(whole.end(), reply.tokens.begin(), reply.tokens.end());
  const SequenceScore score = engine.score(whole);
  for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
    EXPECT_NEAR(reply.logprobs[i], score.logprobs[request.context.size() - 1 + i], 1e-4);
  }
}

TEST(GenerationGrammar, ARepliesNeighboursChangeNothing) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {.num_threads = 2});
  const auto all = requests(1.0);
  const auto together = engine.generate(all);
  for (std::size_t i = 0; i < all.size(); i += 5) {
    EXPECT_EQ(engine.generate(std::span(&all[i], 1)).front().tokens, together[i].tokens);
  }
}

TEST(GenerationGrammar, AFilterStaysInsideTheGrammar) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {});
  auto all = requests(1.0);
  for (GenerationRequest& request : all) {
    request.filter.top_k = 3;
    request.filter.repetition_penalty = 1.3;
  }
  for (const GenerationReply& reply : engine.generate(all)) {
    EXPECT_TRUE(nlohmann::json::accept(tokenizer()->decode(reply.tokens)));
  }
}

TEST(GenerationGrammar, ACutReplySaysSo) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {});
  auto request = requests(1.0).front();
  request.max_tokens = 3;
  EXPECT_EQ(engine.generate(std::span(&request, 1)).front().finish, FinishReason::kLength);
}

TEST(GenerationGrammar, IsNoChoice) {
  DREAMGYM_NEEDS_FILE(tokenizer_file());
  GenerationEngine engine(weights(), tokenizer(), {});
  auto request = requests(1.0).front();
  request.choices = std::make_shared<TokenTrie>(std::vector<std::vector<TokenId>>{{3}, {4}});
  EXPECT_NE(message_of([&] { (void)engine.generate(std::span(&request, 1)); }), "");
}

}  // namespace
}  // namespace dreamgym
