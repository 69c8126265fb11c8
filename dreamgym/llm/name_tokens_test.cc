#include "dreamgym/llm/name_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/bpe_trainer.h"
#include "dreamgym/llm/internal/household_text.h"

namespace dreamgym {
namespace {

using Names = std::vector<std::string>;

TEST(FindNames, OrdersByFrequencyThenAlphabet) {
  const std::vector<std::string> texts = {"a mug 1, a mug 2, a desk 1",
                                          "bed 3 and desk 2, apple 1"};
  EXPECT_EQ(find_names(texts, {.min_count = 1}), (Names{"desk", "mug", "apple", "bed"}));
  EXPECT_EQ(find_names(texts, {.min_count = 2}), (Names{"desk", "mug"}));
}

TEST(FindNames, TakesOnlyLowerCaseWordsDirectlyBeforeASmallNumber) {
  const std::vector<std::string> texts = {
      "Room 1, mug  1, mug1, x 2, pan 123, cup 3rd, than 12.50, \xc3\xa9tag 1, a1b 2, jar 07.",
      "tea_pot 9"};
  EXPECT_EQ(find_names(texts, {.min_count = 1}), (Names{"jar", "tea_pot"}));
}

TEST(FindNames, LeavesOutAWordThatSeldomStandsBeforeANumber) {
  const std::vector<std::string> texts = {
      "see a mug and 1 and 2 and and and and and and and and and and and and and and and and and "
      "and and and. mug 1, mug 2, mug, mug, mug, mug"};
  EXPECT_EQ(find_names(texts), (Names{"mug"}));
  EXPECT_EQ(find_names(texts, {.min_count = 1, .min_share = 0}), (Names{"and", "mug"}));
}

BpeTokenizer invented_tokenizer(std::size_t num_names) {
  std::vector<std::string> texts = household_texts(100);
  for (auto& text : texts) {
    text += " You pull the handle. The handle is cold, two handles are colder.";
  }
  Names names;
  for (std::size_t i = 0; i < num_names; ++i) {
    names.push_back(std::string("zor") + static_cast<char>('a' + i));
  }
  return train_bpe(
      texts, names, {.vocabulary_size = 600, .max_names = num_names, .names_are_pool = true});
}

TEST(FindWords, CountsWholeLowerCaseWords) {
  const std::vector<std::string> texts = {"red pen, red cup; Red reddish", "a pen-knife pen"};
  EXPECT_EQ(find_words(texts, 2), (std::vector<std::string>{"pen", "red"}));
  EXPECT_TRUE(find_words(texts, 9).empty());
}

TEST(AdoptNames, RenamesPoolTokensAndKeepsIdsAndSize) {
  const auto base = invented_tokenizer(6);
  const auto adopted = adopt_names(base, {"teapot", "lamp"}, Rng(1));
  EXPECT_EQ(adopted.num_renamed, 2U);
  EXPECT_EQ(adopted.num_known, 0U);
  EXPECT_EQ(adopted.num_left_out, 0U);
  EXPECT_EQ(adopted.tokenizer.vocabulary_size(), base.vocabulary_size());
  EXPECT_EQ(adopted.tokenizer.vocabulary().name_pool.size(), 4U);
  std::size_t num_changed = 0;
  for (std::size_t id = 0; id < base.vocabulary_size(); ++id) {
    const auto& before = base.vocabulary().tokens[id];
    const auto& after = adopted.tokenizer.vocabulary().tokens[id];
    if (before != after) {
      ++num_changed;
      EXPECT_TRUE(before.starts_with("zor")) << before;
    }
  }
  EXPECT_EQ(num_changed, 2U);
  const auto tokens = adopted.tokenizer.encode("teapot 3");
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_TRUE(std::ranges::binary_search(base.vocabulary().name_pool, tokens.front()));
}

TEST(AdoptNames, CountsNamesBeyondThePoolAndLeavesThemSpelled) {
  const auto adopted = adopt_names(invented_tokenizer(2), {"teapot", "lamp", "wardrobe"}, Rng(1));
  EXPECT_EQ(adopted.num_renamed, 2U);
  EXPECT_EQ(adopted.num_left_out, 1U);
  EXPECT_TRUE(adopted.tokenizer.vocabulary().name_pool.empty());
  const auto& tokenizer = adopted.tokenizer;
  EXPECT_GT(tokenizer.encode("wardrobe").size(), 1U);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("wardrobe 1")), "wardrobe 1");
}

TEST(AdoptNames, TakesANameThatIsAlreadyATokenOutOfThePool) {
  const auto base = invented_tokenizer(3);
  const auto adopted = adopt_names(base, {"zorb", "lamp", "lamp"}, Rng(1));
  EXPECT_EQ(adopted.num_known, 1U);
  EXPECT_EQ(adopted.num_renamed, 1U);
  EXPECT_EQ(adopted.tokenizer.find("zorb"), base.find("zorb"));
  const auto again = adopt_names(adopted.tokenizer, {"zorb", "lamp", "sofa"}, Rng(2));
  EXPECT_EQ(again.num_known, 2U);
  EXPECT_EQ(again.num_renamed, 1U);
  EXPECT_EQ(again.tokenizer.find("lamp"), adopted.tokenizer.find("lamp"));
}

TEST(AdoptNames, DrawsThePoolTokensFromTheStream) {
  const auto base = invented_tokenizer(20);
  EXPECT_EQ(adopt_names(base, {"lamp", "sofa"}, Rng(1)).tokenizer.to_json(),
            adopt_names(base, {"lamp", "sofa"}, Rng(1)).tokenizer.to_json());
  EXPECT_NE(adopt_names(base, {"lamp", "sofa"}, Rng(1)).tokenizer.to_json(),
            adopt_names(base, {"lamp", "sofa"}, Rng(2)).tokenizer.to_json());
}

TEST(AdoptNames, TakesTheTextOfAMergedTokenTogetherWithWhatWasBuiltOnIt) {
  const auto base = invented_tokenizer(3);
  Names merged;  // learnt tokens that are words
  for (const auto& merge : base.vocabulary().merges) {
    const auto& text = base.vocabulary().tokens[static_cast<std::size_t>(merge.result)];
    if (is_name_word(text)) {
      merged.push_back(text);
    }
  }
  ASSERT_GE(merged.size(), 3U);
  merged.resize(3);
  const auto adopted = adopt_names(base, merged, Rng(1));
  EXPECT_EQ(adopted.num_renamed, 3U);
  const auto& tokenizer = adopted.tokenizer;
  for (const auto& name : merged) {
    const auto tokens = tokenizer.encode(name);
    ASSERT_EQ(tokens.size(), 1U) << name;
    EXPECT_TRUE(std::ranges::binary_search(base.vocabulary().name_pool, tokens.front())) << name;
    const TokenId old = *base.find(name);
    EXPECT_EQ(tokenizer.decode(std::vector<TokenId>{old}), unused_token_text(old));
  }
  const auto& vocabulary = tokenizer.vocabulary();
  EXPECT_LT(vocabulary.merges.size(), base.vocabulary().merges.size());
  for (const auto& text : household_texts(50)) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
  EXPECT_EQ(BpeTokenizer::from_json(tokenizer.to_json(), "adopted").vocabulary(), vocabulary);
}

TEST(AdoptNames, RefusesWhatCanNotBeAName) {
  const auto base = invented_tokenizer(3);
  EXPECT_THROW((void)adopt_names(base, {"tea pot"}, Rng(1)), Error);
  EXPECT_THROW((void)adopt_names(base, {"x"}, Rng(1)), Error);
}

}  // namespace
}  // namespace dreamgym
