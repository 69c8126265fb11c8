#include "dreamgym/llm/checkpoint/generation_config.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

TEST(GenerationConfig, ReadsOneEndTokenOrSeveral) {
  const auto one = generation_config_from_json(R"({"eos_token_id": 2, "do_sample": true})", "g");
  EXPECT_EQ(one.end_tokens, (std::vector<TokenId>{2}));
  EXPECT_TRUE(one.sample);
  const auto two = generation_config_from_json(
      R"({"bos_token_id": 1, "eos_token_id": [5, 6], "temperature": 0.6, "top_k": 20})", "g");
  EXPECT_EQ(two.end_tokens, (std::vector<TokenId>{5, 6}));
  EXPECT_EQ(two.begin_token, 1);
  EXPECT_EQ(generation_config_from_json(generation_config_to_json(two), "g"), two);
}

TEST(GenerationConfig, NamesWhatIsWrong) {
  EXPECT_THROW((void)generation_config_from_json("[", "g"), Error);
  EXPECT_THROW((void)generation_config_from_json(R"({"eos_token_id": "x"})", "g"), Error);
  EXPECT_THROW((void)generation_config_from_json(R"({"top_p": 0})", "g"), Error);
}

}  // namespace
}  // namespace dreamgym
