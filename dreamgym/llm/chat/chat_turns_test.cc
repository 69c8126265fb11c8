#include "dreamgym/llm/chat/chat_turns.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

TEST(ChatTurns, AreTheWordsAroundAConversation) {
  const ChatTurns turns = chat_turns(ChatTemplate::kChatMl, "Be brief.");
  EXPECT_EQ(turns.opening.text, "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n");
  EXPECT_EQ(turns.ask, "<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(turns.next, "<|im_end|>\n<|im_start|>user\n");
}

TEST(ChatTurns, KeepTheTemplatesOwnSystemMessage) {
  EXPECT_NE(chat_turns(ChatTemplate::kSmolLm2, "").opening.text.find("named SmolLM"),
            std::string::npos);
  EXPECT_EQ(chat_turns(ChatTemplate::kChatMl, "").opening.text, "<|im_start|>user\n");
}

TEST(ChatTurns, RefuseATemplateThatRewritesThePast) {
  // With thinking turned off, the empty thought before a reply is gone once another turn follows.
  const nlohmann::ordered_json no_thinking = {{"enable_thinking", false}};
  try {
    (void)chat_turns(ChatTemplate::kQwen3, "", no_thinking);
    FAIL() << "the template rewrites the past";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("qwen3"), std::string::npos);
  }
  EXPECT_NO_THROW((void)chat_turns(ChatTemplate::kQwen3, ""));
}

TEST(ChatTurns, NoticeATurnThatWouldBeRewritten) {
  const ChatTurns qwen = chat_turns(ChatTemplate::kQwen3, "");
  EXPECT_TRUE(keeps_turn(ChatTemplate::kQwen3, qwen, "go to desk 1"));
  EXPECT_FALSE(keeps_turn(ChatTemplate::kQwen3, qwen, "<think>\nhm\n</think>\n\ngo"));
  EXPECT_EQ(turn_in_the_past(ChatTemplate::kQwen3, qwen, "<think>\nhm\n</think>\n\ngo"), "go");
  const ChatTurns llama = chat_turns(ChatTemplate::kLlama3, "");
  EXPECT_EQ(turn_in_the_past(ChatTemplate::kLlama3, llama, " look "), "look");
  EXPECT_TRUE(keeps_turn(ChatTemplate::kLlama3, llama, " look "));
}

}  // namespace
}  // namespace dreamgym
