#include "dreamgym/llm/endpoint/endpoint_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/generation_queue.h"
#include "dreamgym/llm/markers.h"
#include "tests/fault_server.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

std::shared_ptr<const BpeTokenizer> tokenizer() {
  static const auto shared = test_tokenizer({"open the drawer 1 and take mug 2"});
  return shared;
}

EndpointModel model_of(const FaultServer& server) {
  EndpointConfig config;
  config.urls = {server.url()};
  config.model = "m";
  config.api_key_variable = "";
  config.max_attempts = 2;
  config.first_backoff_seconds = 0.001;
  return {std::make_shared<EndpointFleet>(config), tokenizer(), 512};
}

std::string completion(const std::string& text, const std::vector<TokenId>& ids) {
  return Json{{"choices",
               {{{"text", text},
                 {"token_ids", ids},
                 {"logprobs", {{"token_logprobs", std::vector<float>(ids.size(), -0.25F)}}},
                 {"finish_reason", "stop"}}}}}
      .dump();
}

TEST(EndpointModel, TakesIdsAsTheServerReturnsThem) {
  FaultServer server([](const FaultRequest& request) {
    EXPECT_EQ(Json::parse(request.body)["prompt"], (Json{1, 2, 3}));
    return FaultReply{.body = completion("xy", {7, 8, 9})};
  });
  EndpointModel model = model_of(server);
  GenerationRequest request;
  request.context = {1, 2, 3};
  request.stop = {9};
  const auto reply = model.generate(std::span(&request, 1)).front();
  EXPECT_EQ(reply.tokens, (std::vector<TokenId>{7, 8, 9})) << "never encoded again from \"xy\"";
  EXPECT_EQ(reply.logprobs, (std::vector<float>{-0.25F, -0.25F, -0.25F}));
  EXPECT_EQ(reply.finish, FinishReason::kStop);
  EXPECT_EQ(model.version().substr(0, 9), "m@http://");
}

TEST(EndpointModel, ChoosesAmongTextsAndAsksAgainWhenTheReplyIsNone) {
  const auto open = tokenizer()->encode("open the drawer 1");
  const auto take = tokenizer()->encode("take mug 2");
  const TokenId end = *tokenizer()->marker(markers::kEnd);
  auto with_end = [&](std::vector<TokenId> ids) {
    ids.push_back(end);
    return ids;
  };
  FaultServer server([&](const FaultRequest& request) {
    EXPECT_EQ(Json::parse(request.body)["structured_outputs"]["choice"].size(), 2U);
    return request.number == 0 ? FaultReply{.body = completion("dance", {1})}
                               : FaultReply{.body = completion("take mug 2", take)};
  });
  EndpointModel model = model_of(server);
  GenerationRequest request;
  request.context = {1};
  request.choices = std::make_shared<TokenTrie>(std::vector{with_end(open), with_end(take)});
  const auto reply = model.generate(std::span(&request, 1)).front();
  EXPECT_EQ(reply.tokens, with_end(take));
  EXPECT_EQ(reply.finish, FinishReason::kChoice);
  EXPECT_EQ(reply.logprobs.size(), reply.tokens.size());
  EXPECT_FLOAT_EQ(reply.logprobs.front(), -0.25F);
  EXPECT_EQ(server.num_requests(), 2U);
}

TEST(EndpointModel, ASlowReplyHoldsUpNoOtherOfTheQueue) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  FaultServer server([&](const FaultRequest& request) {
    const TokenId first = Json::parse(request.body)["prompt"][0].get<TokenId>();
    FaultReply reply{.body = completion("x", {first})};
    if (first == 1) {
      reply.before = [gone] { gone.wait_for(std::chrono::seconds(20)); };
    }
    return reply;
  });
  EndpointModel model = model_of(server);
  const auto queue = model.open_queue();
  for (const std::uint64_t ticket : {1, 2, 3}) {
    GenerationRequest request;
    request.context = {static_cast<TokenId>(ticket)};
    queue->submit(ticket, request);
  }
  std::vector<std::uint64_t> ended;
  while (ended.size() < 2) {
    for (const auto& one : queue->collect(kUntilItComes)) {
      EXPECT_EQ(one.reply.tokens, (std::vector<TokenId>{static_cast<TokenId>(one.ticket)}));
      ended.push_back(one.ticket);
    }
  }
  EXPECT_EQ(std::ranges::count(ended, 1U), 0);
  EXPECT_TRUE(queue->collect({}).empty());
  EXPECT_FALSE(queue->idle());
  go.set_value();
  const auto rest = queue->finish();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest.front().ticket, 1U);
}

TEST(EndpointModel, SaysSoWhenTheServerKeepsItsIdsOrIsAway) {
  FaultServer silent([](const FaultRequest&) {
    return FaultReply{.body = R"({"choices":[{"text":"hello","finish_reason":"stop"}]})"};
  });
  GenerationRequest request;
  request.context = {1};
  EndpointModel without_ids = model_of(silent);
  EXPECT_THROW((void)without_ids.generate(std::span(&request, 1)), Error);
  FaultServer away([](const FaultRequest&) { return FaultReply{.status = 503, .body = ""}; });
  EndpointModel down = model_of(away);
  try {
    (void)down.generate(std::span(&request, 1));
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
  }
}

}  // namespace
}  // namespace dreamgym
