#include "dreamgym/llm/endpoint/openai_api.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

TEST(ChatBody, SendsEverySamplerFieldAndTheSchema) {
  ChatPrompt prompt;
  prompt.messages = {{"system", "be brief"}, {"user", "hi \xff"}};
  prompt.temperature = 0.5;
  prompt.max_tokens = 7;
  prompt.seed = ~0ULL;
  prompt.schema_name = "step";
  prompt.json_schema = R"({"type":"object"})";
  const Json body = Json::parse(chat_body(prompt, "m", StructuredOutput::kSchema, true));
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["messages"][0], (Json{{"role", "system"}, {"content", "be brief"}}));
  EXPECT_EQ(body["messages"][1]["content"], "hi \xef\xbf\xbd") << "what is no UTF-8 is replaced";
  for (const char* key : {"temperature", "top_p", "max_tokens", "seed", "n", "stream"}) {
    EXPECT_TRUE(body.contains(key)) << key;
  }
  EXPECT_GE(body["seed"].get<std::int64_t>(), 0);
  EXPECT_EQ(body["logprobs"], true);
  EXPECT_EQ(body["response_format"]["json_schema"]["name"], "step");
  EXPECT_EQ(body["response_format"]["json_schema"]["schema"]["type"], "object");
  EXPECT_EQ(Json::parse(chat_body(prompt, "m", StructuredOutput::kObject, false))["response_format"],
            (Json{{"type", "json_object"}}));
  EXPECT_FALSE(Json::parse(chat_body(prompt, "m", StructuredOutput::kNone, false)).contains("response_format"));
}

TEST(ReadChat, ReadsTextEndUsageAndLogprobs) {
  const auto reply = read_chat(Json::parse(
      R"({"choices":[{"message":{"content":"yes","reasoning":"hm"},"finish_reason":"length",
          "logprobs":{"content":[{"token":"y","logprob":-1.0},{"token":"es","logprob":-0.5}]}}],
          "usage":{"prompt_tokens":4,"completion_tokens":2}})"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, "yes");
  EXPECT_TRUE(reply->cut);
  EXPECT_DOUBLE_EQ(*reply->mean_logprob, -0.75);
  EXPECT_EQ(reply->completion_tokens, 2U);
}

TEST(ReadChat, RefusesWhatIsNoAnswer) {
  for (const char* text : {"{}",
                           R"({"choices":[]})",
                           R"({"choices":[{"message":{"content":null}}]})",
                           R"({"choices":[{"message":{"content":5}}]})",
                           R"({"choices":"none"})",
                           "[]",
                           "null",
                           R"({"error":{"message":"loading"}})"}) {
    EXPECT_FALSE(read_chat(Json::parse(text))) << text;
  }
  EXPECT_TRUE(read_chat(Json::parse(
      R"({"choices":[{"message":{"content":null,"reasoning_content":"still thinking"},"finish_reason":"length"}]})")))
      << "a model that thought to its limit did answer";
}

TEST(Completion, CarriesTokenIdsBothWays) {
  GenerationRequest request;
  request.context = {5, 6, 7};
  request.stop = {9};
  const Json body = Json::parse(completion_body(request, "m", {}));
  EXPECT_EQ(body["prompt"], (Json{5, 6, 7}));
  EXPECT_EQ(body["stop_token_ids"], (Json{9}));
  EXPECT_EQ(body["return_token_ids"], true);
  EXPECT_EQ(Json::parse(completion_body(request, "m", {"a", "b"}))["structured_outputs"]["choice"], (Json{"a", "b"}));
  const auto read = read_completion(Json::parse(
      R"({"choices":[{"text":"ab","token_ids":[1,2],"logprobs":{"token_logprobs":[-0.5,-1]},"finish_reason":"stop"}]})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tokens, (std::vector<TokenId>{1, 2}));
  EXPECT_EQ(read->logprobs, (std::vector<float>{-0.5F, -1.0F}));
  EXPECT_FALSE(read_completion(Json::parse(R"({"choices":[{"text":"a","token_ids":["x"]}]})")));
  EXPECT_FALSE(read_completion(Json::parse(R"({"choices":[{}]})")));
}

TEST(ReadEmbeddings, PutsVectorsInTheOrderAsked) {
  const auto vectors = read_embeddings(
      Json::parse(R"({"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]})"), 2);
  ASSERT_TRUE(vectors);
  EXPECT_EQ((*vectors)[0], (std::vector<float>{1, 2}));
  EXPECT_EQ((*vectors)[1], (std::vector<float>{3, 4}));
  for (const char* text : {R"({"data":[]})",
                           R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
                           R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]})",
                           R"({"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[1,2]}]})",
                           R"({"data":[{"index":0,"embedding":["x"]},{"index":1,"embedding":[1]}]})"}) {
    EXPECT_FALSE(read_embeddings(Json::parse(text), 2)) << text;
  }
}

TEST(StructuredOutputNamed, NamesTheKnownOnes) {
  EXPECT_EQ(structured_output_named("object"), StructuredOutput::kObject);
  EXPECT_THROW((void)structured_output_named("grammar"), Error);
}

}  // namespace
}  // namespace dreamgym
