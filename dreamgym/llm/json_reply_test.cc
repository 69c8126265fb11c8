#include "dreamgym/llm/json_reply.h"

#include <gtest/gtest.h>

#include "dreamgym/llm/scripted_chat.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

TEST(JsonIn, FindsTheObjectInWhatModelsWriteAroundIt) {
  for (const char* text : {R"({"a":1})",
                           "```json\n{\"a\":1}\n```",
                           "Sure! Here it is:\n{\"a\":1}\nAnything else?",
                           "<think>{\"a\":2} or {\"a\":3}?</think>\n{\"a\":1}"}) {
    const auto json = json_in(text);
    ASSERT_TRUE(json) << text;
    EXPECT_EQ((*json)["a"], 1) << text;
  }
  const auto braces = json_in(R"(x {"a":"} \" {","b":{"c":[{}]}} y)");
  ASSERT_TRUE(braces);
  EXPECT_EQ((*braces)["a"], "} \" {");
}

TEST(JsonIn, SaysWhatIsWrong) {
  EXPECT_EQ(json_in("").error(), "there is no JSON object in it");
  EXPECT_EQ(json_in("I'd rather not.").error(), "there is no JSON object in it");
  EXPECT_EQ(json_in(R"({"a": "unfin)").error(), "the JSON object does not end");
  EXPECT_EQ(json_in(R"({"a": 'single'})").error(), "the JSON object is not well formed");
  EXPECT_EQ(json_in("{\"a\": \"\xc3\"}").error(), "the JSON object is not well formed");
}

std::optional<std::string> wants_a(std::size_t, const Json& json) {
  return json.contains("a") ? std::nullopt : std::optional<std::string>("\"a\" is missing");
}

ChatPrompt prompt() {
  ChatPrompt asked;
  asked.messages = {{"user", "an object, please"}};
  return asked;
}

TEST(AskJson, RepairsOnceAndCounts) {
  ScriptedChat model([](const ChatPrompt& asked) -> Expected<ChatReply, ModelFailure> {
    const bool again = asked.messages.size() == 3;
    return ChatReply{.text = again ? R"({"a":1})" : R"({"b":1})", .prompt_tokens = 10, .completion_tokens = 2};
  });
  JsonReplyCounts counts;
  const auto asked = prompt();
  const auto replies = ask_json(model, std::span(&asked, 1), wants_a, counts);
  ASSERT_TRUE(replies[0]);
  EXPECT_TRUE(replies[0]->repaired);
  EXPECT_EQ(counts.repaired, 1U);
  EXPECT_EQ(counts.accepted, 0U);
  EXPECT_EQ(counts.prompt_tokens, 20U);
  ASSERT_EQ(model.prompts().size(), 2U);
  const auto& repair = model.prompts()[1].messages;
  EXPECT_EQ(repair[1], (ChatMessage{"assistant", R"({"b":1})"}));
  EXPECT_NE(repair[2].content.find("\"a\" is missing"), std::string::npos);
}

TEST(AskJson, GivesUpAfterOneRepairAndNeverRepairsAnAbsentReply) {
  std::size_t asked_times = 0;
  ScriptedChat model([&](const ChatPrompt& asked) -> Expected<ChatReply, ModelFailure> {
    ++asked_times;
    if (asked.messages[0].content == "away") {
      return Unexpected<ModelFailure>({ModelFailure::Kind::kUnavailable, "no connection"});
    }
    return ChatReply{.text = "nonsense"};
  });
  std::vector<ChatPrompt> prompts(2, prompt());
  prompts[1].messages[0].content = "away";
  JsonReplyCounts counts;
  const auto replies = ask_json(model, prompts, wants_a, counts);
  EXPECT_EQ(replies[0].error().kind, ModelFailure::Kind::kBadReply);
  EXPECT_EQ(replies[1].error().kind, ModelFailure::Kind::kUnavailable);
  EXPECT_EQ(counts.rejected, 1U);
  EXPECT_EQ(counts.unavailable, 1U);
  EXPECT_EQ(asked_times, 3U);
}

}  // namespace
}  // namespace dreamgym
