#include "dreamgym/llm/local_chat.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/scripted_model.h"
#include "tests/language_model_data.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

ModelLanguage smollm2() {
  ModelLanguage language;
  language.pretrained = std::make_shared<const PretrainedTokenizer>(
      read_pretrained_tokenizer(language_model_data() / "tokenizer/smollm2_tokenizer.json"));
  language.tokenizer = language.pretrained;
  language.generation.end_tokens = {*language.pretrained->marker("<|im_end|>")};
  return language;
}

ChatPrompt ask(const std::string& text) {
  ChatPrompt prompt;
  prompt.messages = {{"user", text}};
  return prompt;
}

TEST(LocalChat, RendersItsMessagesAndReadsTheReply) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const ModelLanguage language = smollm2();
  ScriptedModel model(language.tokenizer, [&](const GenerationRequest&) {
    return language.tokenizer->encode_with_markers("Hello.<|im_end|>");
  });
  LocalChat chat(model, language, ChatTemplate::kChatMl);
  const ChatPrompt prompt = ask("Hi!");
  const auto replies = chat.chat(std::span(&prompt, 1));
  ASSERT_TRUE(replies.front());
  EXPECT_EQ(replies.front()->text, "Hello.");
  EXPECT_EQ(language.tokenizer->decode(model.requests().front().context),
            "<|im_start|>user\nHi!<|im_end|>\n<|im_start|>assistant\n");
}

TEST(LocalChat, AsksForTheFormOfASchema) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const ModelLanguage language = smollm2();
  ScriptedModel model(language.tokenizer, std::vector<std::string>{"true"});
  LocalChat chat(model, language, ChatTemplate::kChatMl);
  ChatPrompt prompt = ask("Yes?");
  prompt.schema_name = "answer";
  prompt.json_schema = R"({"type": "boolean"})";
  (void)chat.chat(std::span(&prompt, 1));
  EXPECT_NE(model.requests().front().grammar, nullptr);
  prompt.json_schema = R"({"type": "string", "pattern": "a+"})";
  EXPECT_THROW((void)chat.chat(std::span(&prompt, 1)), Error);
}

TEST(LocalChat, BringsACutReplyToItsEnd) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const ModelLanguage language = smollm2();
  ScriptedModel model(language.tokenizer,
                      std::vector<std::string>{"{\"why\": \"A caf\xc3", "\xa9\",\"done\":false}"});
  LocalChat chat(model, language, ChatTemplate::kChatMl);
  ChatPrompt prompt = ask("Yes?");
  prompt.json_schema = R"({"type": "object", "properties": {"why": {"type": "string"}, "done": {"type": "boolean"}},
                           "required": ["why", "done"]})";
  const auto reply = chat.chat(std::span(&prompt, 1)).front();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, "{\"why\": \"A caf\xc3\xa9\",\"done\":false}");
  EXPECT_EQ(chat.num_brought_to_end(), 1U);
  const auto& asked = model.requests();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1].context.size(), asked[0].context.size() + language.tokenizer->encode("{\"why\": \"A caf\xc3").size());
  EXPECT_EQ(asked[1].max_tokens, std::string_view("\xa9\",\"done\":false}").size());
  EXPECT_NE(asked[1].grammar, asked[0].grammar);
}

TEST(LocalChat, GoesOnWithTheConversationThatBeginsAlike) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const ModelLanguage language = smollm2();
  ScriptedModel model(language.tokenizer, [&](const GenerationRequest&) {
    return language.tokenizer->encode_with_markers("Yes.<|im_end|>");
  });
  LocalChat chat(model, language, ChatTemplate::kChatMl);
  const std::string kitchen = "In the kitchen there are a fridge, a drawer, a cup and five plates. ";
  const std::string bathroom = "In the bathroom there are a sink, a mirror and no towel at all today. ";
  const std::vector<ChatPrompt> first = {ask(kitchen), ask(bathroom)};
  (void)chat.chat(first);
  const std::vector<ChatPrompt> second = {ask(bathroom + "Open the mirror."), ask(kitchen + "Open the fridge.")};
  (void)chat.chat(second);
  const auto& asked = model.requests();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_NE(asked[0].session, asked[1].session);
  EXPECT_EQ(asked[2].session, asked[1].session);
  EXPECT_EQ(asked[3].session, asked[0].session);
}

TEST(LocalChat, RefusesAModelWithoutAChatFormat) {
  ScriptedModel model(test_tokenizer({"Hello."}), std::vector<std::string>{});
  EXPECT_THROW(LocalChat(model, ModelLanguage{}, ChatTemplate::kChatMl), Error);
}

}  // namespace
}  // namespace dreamgym
