#include "dreamgym/llm/bpe_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/household_text.h"
#include "dreamgym/llm/markers.h"

namespace dreamgym {
namespace {

std::vector<std::string> learnt_texts(const BpeTokenizer& tokenizer) {
  std::vector<std::string> texts;
  const auto& vocabulary = tokenizer.vocabulary();
  for (const auto& merge : vocabulary.merges) {
    texts.push_back(vocabulary.tokens[static_cast<std::size_t>(merge.result)]);
  }
  texts.erase(texts.begin(), texts.begin() + 100);  // those that build numbers
  return texts;
}

TEST(BpeTrainer, IsDeterministic) {
  const auto texts = household_texts(150);
  const BpeTrainingConfig config{.vocabulary_size = 500};
  EXPECT_EQ(train_bpe(texts, {}, config).to_json(), train_bpe(texts, {}, config).to_json());
}

TEST(BpeTrainer, MergesTheMostFrequentPairFirstAndTheLowerIdsOfEqualOnes) {
  const std::vector<std::string> texts = {"xyxyxy", "ab", "ab", "ab", "cd", "cd", "cd"};
  const auto tokenizer = train_bpe(texts, {}, {.vocabulary_size = 373, .min_pair_count = 2});
  EXPECT_EQ(learnt_texts(tokenizer), (std::vector<std::string>{"ab", "cd", "xy", "xyxy"}));
}

TEST(BpeTrainer, StopsWhereNoPairIsFrequentEnough) {
  const std::vector<std::string> texts = {"ab", "ab", "ab", "cd", "cd"};
  const auto tokenizer = train_bpe(texts, {}, {.vocabulary_size = 4096, .min_pair_count = 3});
  EXPECT_EQ(learnt_texts(tokenizer), (std::vector<std::string>{"ab"}));
}

TEST(BpeTrainer, FindsTheNamesOfTheCorpusByItself) {
  const auto tokenizer = train_bpe(household_texts(200), {"kettle"}, {.vocabulary_size = 500});
  std::vector<std::string> names;
  for (const TokenId id : tokenizer.vocabulary().names) {
    names.push_back(tokenizer.vocabulary().tokens[static_cast<std::size_t>(id)]);
  }
  ASSERT_EQ(names.size(), household_names().size() + 1);
  EXPECT_EQ(names.front(), "kettle");
  for (const auto& name : household_names()) {
    EXPECT_TRUE(std::ranges::find(names, name) != names.end()) << name;
  }
}

TEST(BpeTrainer, NeverMergesAcrossANameANumberOrAMarker) {
  auto texts = household_texts(200);
  for (auto& text : texts) {
    text = "<|action|>" + replace_all(text, "\n", "<|observation|>");
  }
  const auto tokenizer = train_bpe(texts, {}, {.vocabulary_size = 700, .min_pair_count = 2});
  const auto learnt = learnt_texts(tokenizer);
  EXPECT_GT(learnt.size(), 60U);
  for (const auto& text : learnt) {
    EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c >= '0' && c <= '9'; })) << text;
    EXPECT_FALSE(contains(text, "<|")) << text;
    for (const auto& word : words(replace_all(replace_all(text, ",", " "), ".", " "))) {
      EXPECT_EQ(std::ranges::count(household_names(), word), 0) << text;
    }
  }
}

TEST(BpeTrainer, SpellsNoNameWithMerges) {
  const std::vector<std::string> texts(10, "mugs smug mug 1");
  const auto tokenizer = train_bpe(texts, {}, {.vocabulary_size = 500});
  ASSERT_EQ(tokenizer.vocabulary().names.size(), 1U);
  EXPECT_EQ(std::ranges::count(learnt_texts(tokenizer), "mug"), 0);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("mugs")), "mugs");
}

TEST(BpeTrainer, KeepsTokensBelowTheLengthLimit) {
  const std::vector<std::string> texts(10, "a quite long phrase that comes again and again");
  const auto tokenizer = train_bpe(texts, {}, {.vocabulary_size = 500, .max_token_bytes = 8});
  const auto learnt = learnt_texts(tokenizer);
  EXPECT_GT(learnt.size(), 5U);
  EXPECT_TRUE(std::ranges::all_of(learnt, [](const auto& text) { return text.size() <= 8; }));
}

TEST(BpeTrainer, RefusesAVocabularyTooSmallForItsNames) {
  EXPECT_THROW((void)train_bpe({}, {"mug"}, {.vocabulary_size = 369}), Error);
  EXPECT_EQ(train_bpe({}, {"mug"}, {.vocabulary_size = 370}).vocabulary_size(), 370U);
}

TEST(ExtendMerges, KeepsAllIdsAndNamesThePartsOfTheNewOnes) {
  const std::vector<std::string> first(10, "You see nothing here.");
  const auto base = train_bpe(first, {"mug"}, {.vocabulary_size = 390});
  const std::vector<std::string> second(10, "You see a mug 1. Unbelievable.");
  const auto extended = extend_merges(base, second, {.max_new_tokens = 8, .min_pair_count = 2});
  const auto& vocabulary = extended.tokenizer.vocabulary();
  ASSERT_EQ(extended.new_tokens.size(), 8U);
  EXPECT_EQ(vocabulary.tokens.size(), base.vocabulary_size() + 8);
  EXPECT_TRUE(std::equal(
      base.vocabulary().tokens.begin(), base.vocabulary().tokens.end(), vocabulary.tokens.begin()));
  EXPECT_EQ(vocabulary.markers, base.vocabulary().markers);
  auto expected = static_cast<TokenId>(base.vocabulary_size());
  for (const auto& token : extended.new_tokens) {
    EXPECT_EQ(token.result, expected++);
    EXPECT_LT(token.left, token.result);
    EXPECT_LT(token.right, token.result);
  }
  EXPECT_LT(extended.tokenizer.encode(second.front()).size(), base.encode(second.front()).size());
  EXPECT_EQ(extended.tokenizer.decode(extended.tokenizer.encode(second.front())), second.front());
}

TEST(ExtendMerges, RefusesTheCountZero) {
  const BpeTokenizer base(base_vocabulary({}, false));
  EXPECT_THROW((void)extend_merges(base, {}, {.min_pair_count = 0}), Error);
}

}  // namespace
}  // namespace dreamgym
