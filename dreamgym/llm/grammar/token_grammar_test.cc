#include "dreamgym/llm/grammar/token_grammar.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/grammar/json_schema.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

// Eight bytes, some pairs, and a token that ends a reply.
PretrainedTokenizer small_tokenizer() {
  PretrainedVocabulary vocabulary;
  vocabulary.tokens = {"\"", "a", "b", "\"a", "ab\"", "b\"x", "t", "<end>"};
  AddedToken end;
  end.id = 7;
  end.text = "<end>";
  end.special = true;
  vocabulary.added.push_back(end);
  return PretrainedTokenizer(vocabulary);
}

std::vector<TokenId> allowed_tokens(const TokenGrammar& grammar, TokenGrammar::State state) {
  std::vector<TokenId> tokens;
  const auto mask = grammar.allowed(state);
  for (std::size_t i = 0; i < 64; ++i) {
    if ((mask[0] >> i & 1U) != 0) {
      tokens.push_back(static_cast<TokenId>(i));
    }
  }
  return tokens;
}

TEST(TokenGrammar, AllowsTheTokensThatStayInside) {
  const PretrainedTokenizer tokenizer = small_tokenizer();
  const TokenGrammar grammar(*json_schema_pattern(R"({"type": "string"})", "test"),
                             std::make_shared<const TokenSpellings>(tokenizer),
                             {7});
  EXPECT_EQ(allowed_tokens(grammar, grammar.start()), (std::vector<TokenId>{0, 3}));
  const auto inside = grammar.after(grammar.start(), 3);
  EXPECT_EQ(allowed_tokens(grammar, inside), (std::vector<TokenId>{0, 1, 2, 4, 6}));
  EXPECT_FALSE(grammar.whole(inside));
  EXPECT_TRUE(grammar.complete(grammar.after(inside, 4)));
}

TEST(TokenGrammar, LetsAWholeTextEndOrGoOn) {
  const PretrainedTokenizer tokenizer = small_tokenizer();
  const TokenGrammar grammar(*pattern::repeat(pattern::literal("a"), 1, 2),
                             std::make_shared<const TokenSpellings>(tokenizer),
                             {7});
  const auto once = grammar.after(grammar.start(), 1);
  EXPECT_EQ(allowed_tokens(grammar, once), (std::vector<TokenId>{1, 7}));
  EXPECT_TRUE(grammar.is_end(7));
  EXPECT_TRUE(grammar.complete(grammar.after(once, 1)));
}

TEST(TokenGrammar, SaysWhenTheVocabularyCannotSpellIt) {
  const PretrainedTokenizer tokenizer = small_tokenizer();
  const TokenGrammar grammar(
      *pattern::literal("z"), std::make_shared<const TokenSpellings>(tokenizer), {});
  EXPECT_THROW((void)grammar.allowed(grammar.start()), Error);
}

TEST(TokenGrammar, MasksAgreeWithWalkingEachTokenByItself) {
  const Path file = language_model_data() / "tokenizer/smollm2_tokenizer.json";
  DREAMGYM_NEEDS_FILE(file);
  const PretrainedTokenizer tokenizer = read_pretrained_tokenizer(file);
  const auto schema = json_schema_pattern(
      R"({"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "string"}}, "required": ["n", "t"]})",
      "test");
  const TokenGrammar grammar(*schema, std::make_shared<const TokenSpellings>(tokenizer), {2});
  ByteAutomaton automaton(*schema);
  const std::string text = R"({"n": 12, "t": "caf)";
  TokenGrammar::State state = grammar.start();
  auto byte_state = automaton.start();
  for (const TokenId token : tokenizer.encode(text)) {
    const auto mask = grammar.allowed(state);
    for (std::size_t i = 0; i < tokenizer.vocabulary_size(); ++i) {
      const auto id = static_cast<TokenId>(i);
      const bool fits = !tokenizer.is_special(id) && !tokenizer.text_of(id).empty() &&
                        automaton.next(byte_state, tokenizer.text_of(id)) != ByteAutomaton::kDead;
      ASSERT_EQ((mask[i / 64] >> (i % 64) & 1U) != 0, fits) << i;
    }
    state = grammar.after(state, token);
    byte_state = automaton.next(byte_state, tokenizer.text_of(token));
  }
}

}  // namespace
}  // namespace dreamgym
