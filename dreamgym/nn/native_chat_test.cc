// A chat model of random weights that is held to a JSON Schema: whatever it would rather say, its replies are of the form.
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/local_chat.h"
#include "dreamgym/nn/generation_engine.h"
#include "tests/chat_checkpoint.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr const char* kSchema = R"({"type": "object", "properties": {
  "why": {"type": "string"}, "effect": {"enum": ["new", "again", "invalid"]},
  "things": {"type": "array", "items": {"type": "string"}},
  "done": {"type": "boolean"}, "count": {"type": "integer"}},
  "required": ["why", "effect", "things", "done", "count"], "additionalProperties": false})";

struct RandomChat {
  explicit RandomChat(const Path& folder)
      : language(load_model_language(folder)),
        engine(load_model_weights(folder), language.tokenizer, {}),
        chat(engine, language, chat_template_of(language, "", folder.string())) {}
  ModelLanguage language;
  GenerationEngine engine;
  LocalChat chat;
};

std::vector<ChatPrompt> questions(std::size_t count, std::size_t max_tokens, double temperature) {
  std::vector<ChatPrompt> prompts(count);
  for (std::size_t i = 0; i < count; ++i) {
    prompts[i].messages = {{"system", "You simulate a tool. Answer with one JSON object and nothing else."},
                           {"user", "The agent opens drawer " + std::to_string(i) + "."}};
    prompts[i].max_tokens = max_tokens + i % 5;
    prompts[i].temperature = temperature;
    prompts[i].seed = i;
    prompts[i].schema_name = "step";
    prompts[i].json_schema = kSchema;
  }
  return prompts;
}

TEST(NativeChat, EveryReplyOfARandomModelIsOfTheForm) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  RandomChat random(folder.path() / "chat");
  std::set<bool> done;
  for (const double temperature : {0.0, 1.0, 2.0}) {
    for (const std::size_t max_tokens : {1U, 8U, 40U}) {
      for (const auto& reply : random.chat.chat(questions(12, max_tokens, temperature))) {
        ASSERT_TRUE(reply);
        EXPECT_FALSE(reply->cut);
        EXPECT_TRUE(reply->mean_logprob.has_value());
        const auto json = nlohmann::json::parse(reply->text, nullptr, false);
        ASSERT_TRUE(json.is_object()) << reply->text;
        EXPECT_EQ(json.size(), 5U);
        EXPECT_TRUE(json["things"].is_array() && json["count"].is_number_integer()) << reply->text;
        done.insert(json["done"].get<bool>());
      }
    }
  }
  EXPECT_GT(random.chat.num_brought_to_end(), 60U) << "a random model hardly ever ends by itself";
  EXPECT_EQ(done.size(), 2U) << "the shorter word is not forced";
}

TEST(NativeChat, WhatPromptsBeginWithIsReadOnceAndChangesNothing) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  RandomChat together(folder.path() / "chat");
  const auto prompts = questions(6, 20, 1.0);
  const auto first = together.chat.chat(prompts);
  const EngineCounters before = together.engine.counters();
  const auto again = together.chat.chat(prompts);
  const EngineCounters after = together.engine.counters();
  EXPECT_GT(after.reused_tokens - before.reused_tokens, 6 * (first[0]->prompt_tokens - 2));
  for (std::size_t i = 0; i < prompts.size(); i += 5) {
    RandomChat alone(folder.path() / "chat");
    const auto reply = alone.chat.chat(std::span(&prompts[i], 1)).front();
    EXPECT_EQ(reply->text, first[i]->text);
    EXPECT_EQ(reply->text, again[i]->text);
  }
}

TEST(NativeChat, AConversationWithoutRoomForAReplyIsABadReply) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  RandomChat random(folder.path() / "chat");
  auto prompts = questions(2, 20, 0.0);
  for (int i = 0; i < 2000; ++i) {
    prompts[0].messages[1].content += " drawer";
  }
  const auto replies = random.chat.chat(prompts);
  ASSERT_FALSE(replies[0]);
  EXPECT_EQ(replies[0].error().kind, ModelFailure::Kind::kBadReply);
  EXPECT_NE(replies[0].error().reason.find("2048"), std::string::npos) << replies[0].error().reason;
  EXPECT_TRUE(replies[1]);
}

}  // namespace
}  // namespace dreamgym
