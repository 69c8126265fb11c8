#include "dreamgym/apps/domain_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dreamgym/llm/bpe_trainer.h"

namespace dreamgym {
namespace {

std::vector<Trajectory> logs() {
  std::vector<Trajectory> out(3);
  for (Trajectory& story : out) {
    story.task.instruction = "put a mug in cupboard";
    story.steps.resize(2);
    for (Transition& step : story.steps) {
      step.observation.text = "You see a cupboard 1, and a drawer 2.";
      step.action = "open drawer 2";
      step.next_observation.text = "In the drawer 2, you see a mug 1, and a spoon 3.";
    }
  }
  return out;
}

ModelFiles base() {
  BpeTrainingConfig training;
  training.vocabulary_size = 480;
  training.min_pair_count = 1;
  training.names_are_pool = true;
  training.name_rule.min_count = static_cast<std::size_t>(-1);
  ModelFiles model;
  model.tokenizer = std::make_shared<const BpeTokenizer>(
      train_bpe(std::vector<std::string>{"You see a zorp 1, and a blick 2. open zorp 1"},
                {"zorp", "blick", "dax", "wug", "toma", "fep"},
                training));
  TransformerConfig shape = transformer_preset("nano-s");
  shape.vocab_size = static_cast<std::int64_t>(model.tokenizer->vocabulary_size());
  model.weights = initial_weights(shape, 1);
  return model;
}

TEST(AdaptVocabulary, GivesTheDomainsNamesTokensOfTheirOwn) {
  const ModelFiles start = base();
  const DomainModel domain = adapt_vocabulary(start, logs(), {}, Rng(1));
  EXPECT_EQ(domain.names_left_out, 0U);
  for (const char* name : {"cupboard", "drawer", "mug", "spoon"}) {
    EXPECT_TRUE(domain.model.tokenizer->find(name).has_value()) << name;
  }
  EXPECT_EQ(domain.model.weights.arrays, start.weights.arrays);
}

TEST(AdaptVocabulary, GivesWordsTokensWhileTheBaseHasNamesLeft) {
  std::vector<Trajectory> stories = logs();
  for (Trajectory& story : stories) {
    story.steps.front().action = "search";
    for (int i = 0; i < 40; ++i) {  // the most frequent words by far
      story.steps.front().action += " waterproof moisture";
    }
  }
  for (std::size_t i = 0; i < 9; ++i) {
    stories.push_back({.task = {.instruction = "find " + std::string(i + 1, 'x')}});
  }
  stories.back().task.instruction = "find a moisture sensor";
  const DomainModel domain = adapt_vocabulary(base(), stories, {.name_words = 9}, Rng(1));
  EXPECT_EQ(domain.num_words, 2U);  // six names in all, four of them the things' own
  for (const char* word : {"waterproof", "moisture"}) {
    EXPECT_TRUE(domain.model.tokenizer->find(word).has_value()) << word;
  }
  EXPECT_EQ(domain.content_names,
            (std::vector<TokenId>{*domain.model.tokenizer->find("moisture")}));
}

TEST(AdaptVocabulary, ContentNamesAreThoseNoFirstObservationShows) {
  const DomainModel domain = adapt_vocabulary(base(), logs(), {}, Rng(1));
  std::vector<std::string> names;
  for (const TokenId token : domain.content_names) {
    names.push_back(domain.model.tokenizer->decode(std::span(&token, 1)));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"mug", "spoon"}));
}

TEST(AdaptVocabulary, NewPhrasesStartAsTheMeanOfTheirParts) {
  const ModelFiles start = base();
  const DomainModel domain = adapt_vocabulary(start, logs(), {.new_merges = 4}, Rng(1));
  ASSERT_GT(domain.new_tokens, 0U);
  const auto& table = domain.model.weights.arrays.at("model.embed_tokens.weight");
  EXPECT_EQ(static_cast<std::size_t>(table.shape[0]),
            static_cast<std::size_t>(start.weights.config.vocab_size) + domain.new_tokens);
  EXPECT_EQ(table.values.size(), static_cast<std::size_t>(table.shape[0] * table.shape[1]));
  EXPECT_EQ(domain.model.tokenizer->vocabulary_size(), static_cast<std::size_t>(table.shape[0]));
}

TEST(FreshModel, TrainsItsTokenizerOnTheLogs) {
  const ModelFiles model = fresh_model(logs(), "nano-s", 1);
  EXPECT_TRUE(model.tokenizer->find("drawer").has_value());
  EXPECT_EQ(static_cast<std::size_t>(model.weights.config.vocab_size),
            model.tokenizer->vocabulary_size());
}

}  // namespace
}  // namespace dreamgym
