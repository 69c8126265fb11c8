#include "dreamgym/llm/endpoint/endpoint_fleet.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/llm/endpoint/endpoint_chat.h"
#include "tests/fault_server.h"

namespace dreamgym {
namespace {

using namespace std::chrono_literals;
using Fault = FaultReply::Fault;
using Json = nlohmann::json;

// Nothing waits for real: pauses move this clock.
struct PausedTime {
  ManualClock clock;
  std::vector<std::chrono::nanoseconds> pauses;
  EndpointFleet::Wait wait = [this](std::chrono::nanoseconds duration) {
    pauses.push_back(duration);
    clock.advance(duration);
  };
};

EndpointConfig quick(const std::vector<std::string>& urls) {
  EndpointConfig config;
  config.urls = urls;
  config.model = "m";
  config.api_key_variable = "";
  config.timeout_seconds = 1;  // far above what an answer takes, even on a busy machine
  config.first_backoff_seconds = 0.01;
  config.max_attempts = 4;
  return config;
}

Expected<void, std::string> accept_all(const Json&) { return {}; }

TEST(EndpointFleet, HandsOverTheAnswerAndSaysWhatItAskedFor) {
  std::string body;
  FaultServer server([&](const FaultRequest& request) {
    body = request.body;
    EXPECT_EQ(request.path, "/v1/things");
    return FaultReply{.body = R"({"a":1})"};
  });
  PausedTime time;
  EndpointFleet fleet(quick({server.url() + "/"}), time.clock, time.wait);
  const auto answer = fleet.call("/things", R"({"q":2})", accept_all);
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)["a"], 1);
  EXPECT_EQ(body, R"({"q":2})");
  EXPECT_EQ(fleet.counters().successes, 1U);
  EXPECT_EQ(fleet.counters().faults(), 0U);
}

// Each way in which an answer can fail, then a good one.
TEST(EndpointFleet, AsksAgainAfterEveryFaultThatMayPass) {
  const std::string good = R"({"a":"good and long enough to be cut"})";
  const std::vector<FaultReply> faults = {
      {.body = good, .fault = Fault::kStall},
      {.body = good, .fault = Fault::kCut},
      {.body = good, .fault = Fault::kReset},
      {.status = 429, .body = R"({"error":{"message":"slow down"}})"},
      {.status = 500, .body = "oops"},
      {.body = R"({"a": "broken)"},
      {.body = "{\"a\": \"half a letter \xc3\"}"}};
  const auto counted = [](const EndpointCounters& c) {
    return std::vector{c.timeouts, c.broken_off, c.throttled, c.server_errors, c.bad_answers};
  };
  const std::vector<std::vector<std::size_t>> expected = {{1, 0, 0, 0, 0},
                                                          {0, 1, 0, 0, 0},
                                                          {0, 1, 0, 0, 0},
                                                          {0, 0, 1, 0, 0},
                                                          {0, 0, 0, 1, 0},
                                                          {0, 0, 0, 0, 1},
                                                          {0, 0, 0, 0, 1}};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    FaultServer server([&](const FaultRequest& request) {
      return request.number == 0 ? faults[i] : FaultReply{.body = good};
    });
    PausedTime time;
    EndpointFleet fleet(quick({server.url()}), time.clock, time.wait);
    const auto answer = fleet.call("/things", "{}", accept_all);
    ASSERT_TRUE(answer) << i << ": " << answer.error().reason;
    EXPECT_EQ((*answer)["a"], "good and long enough to be cut");
    EXPECT_EQ(counted(fleet.counters()), expected[i]) << i;
    EXPECT_EQ(fleet.counters().attempts, 2U);
    EXPECT_EQ(server.num_requests(), 2U);
  }
}

TEST(EndpointFleet, NeverMixesTheLateAnswerOfOneCallIntoAnother) {
  FaultServer server([&](const FaultRequest& request) {
    return request.number == 0
               ? FaultReply{.body = R"({"a":"late"})", .fault = Fault::kStall}
               : FaultReply{.body = fmt::format(R"({{"a":"{}"}})", Json::parse(request.body)["q"].get<int>())};
  });
  PausedTime time;
  EndpointFleet fleet(quick({server.url()}), time.clock, time.wait);
  for (int i = 0; i < 5; ++i) {
    const auto answer = fleet.call("/things", fmt::format(R"({{"q":{}}})", i), accept_all);
    ASSERT_TRUE(answer);
    EXPECT_EQ((*answer)["a"], std::to_string(i));
  }
}

TEST(EndpointFleet, WaitsAsLongAsTheServerSays) {
  FaultServer server([&](const FaultRequest& request) {
    return request.number == 0 ? FaultReply{.status = 429, .headers = "Retry-After: 7\r\n"}
                               : FaultReply{.body = "{}"};
  });
  PausedTime time;
  EndpointFleet fleet(quick({server.url()}), time.clock, time.wait);
  EXPECT_TRUE(fleet.call("/things", "{}", accept_all));
  EXPECT_EQ(time.clock.now(), 7s);
}

TEST(EndpointFleet, GivesUpAtItsDeadlineAndAfterItsAttempts) {
  FaultServer server([&](const FaultRequest&) { return FaultReply{.status = 503, .body = "busy"}; });
  PausedTime time;
  EndpointConfig config = quick({server.url()});
  config.breaker_failures = 100;
  EndpointFleet patient(config, time.clock, time.wait);
  const auto answer = patient.call("/things", "{}", accept_all);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ModelFailure::Kind::kUnavailable);
  EXPECT_NE(answer.error().reason.find("HTTP 503: busy (attempt 4)"), std::string::npos) << answer.error().reason;
  EXPECT_EQ(patient.counters().attempts, 4U);
  EXPECT_EQ(patient.counters().given_up, 1U);

  config.deadline_seconds = 5;
  config.first_backoff_seconds = config.largest_backoff_seconds = 1000;
  EndpointFleet hurried(config, time.clock, time.wait);
  EXPECT_FALSE(hurried.call("/things", "{}", accept_all));
  EXPECT_EQ(hurried.counters().attempts, 1U) << "no pause that ends after the deadline";
}

TEST(EndpointFleet, SaysAtOnceWhatNoSecondTryCanMend) {
  int status = 401;
  FaultServer server([&](const FaultRequest&) {
    return FaultReply{.status = status, .body = R"({"error":{"message":"bad key"}})"};
  });
  PausedTime time;
  EndpointFleet fleet(quick({server.url()}), time.clock, time.wait);
  try {
    (void)fleet.call("/things", "{}", accept_all);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    EXPECT_NE(std::string(error.what()).find("HTTP 401: bad key"), std::string::npos) << error.what();
  }
  status = 400;
  const auto answer = fleet.call("/things", "{}", accept_all);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ModelFailure::Kind::kBadReply) << "this request alone is refused";
  EXPECT_EQ(fleet.counters().refused, 1U);
  EXPECT_EQ(server.num_requests(), 2U);
}

TEST(EndpointFleet, LeavesAServerThatFailsAlone) {
  FaultServer dead([](const FaultRequest&) { return FaultReply{.status = 500, .body = ""}; });
  FaultServer alive([](const FaultRequest&) { return FaultReply{.body = "{}"}; });
  PausedTime time;
  EndpointConfig config = quick({dead.url(), alive.url()});
  config.breaker_failures = 3;
  config.breaker_seconds = 60;
  EndpointFleet fleet(config, time.clock, time.wait);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(fleet.call("/things", "{}", accept_all));
  }
  EXPECT_LE(dead.num_requests(), 3U);
  EXPECT_EQ(alive.num_requests(), 20U);
}

TEST(EndpointFleet, SpreadsRequestsOverItsServers) {
  // The first request is held until another one has come, which must be to the server that has nothing to do.
  std::mutex mutex;
  std::condition_variable came;
  int arrived = 0;
  const auto handler = [&](const FaultRequest&) {
    std::unique_lock lock(mutex);
    ++arrived;
    came.notify_all();
    came.wait_for(lock, std::chrono::seconds(10), [&] { return arrived >= 2; });
    return FaultReply{.body = "{}"};
  };
  FaultServer first(handler);
  FaultServer second(handler);
  EndpointConfig config = quick({first.url(), second.url()});
  config.timeout_seconds = 30;
  EndpointFleet fleet(config);
  parallel_for(64, 8, [&](std::size_t) { EXPECT_TRUE(fleet.call("/things", "{}", accept_all)); });
  EXPECT_EQ(first.num_requests() + second.num_requests(), 64U);
  EXPECT_GE(first.num_requests(), 1U);
  EXPECT_GE(second.num_requests(), 1U);
}

TEST(EndpointFleet, SendsTheKeyOfTheEnvironmentAndNoOther) {
  std::string head;
  FaultServer server([&](const FaultRequest& request) {
    head = request.head;
    return FaultReply{.body = "{}"};
  });
  EndpointConfig config = quick({server.url()});
  config.api_key_variable = "DREAMGYM_TEST_KEY";
  ::unsetenv("DREAMGYM_TEST_KEY");
  EXPECT_THROW(EndpointFleet{config}, Error);
  ::setenv("DREAMGYM_TEST_KEY", "sesame", 1);
  EndpointFleet fleet(config);
  EXPECT_TRUE(fleet.call("/things", "{}", accept_all));
  EXPECT_NE(head.find("Authorization: Bearer sesame"), std::string::npos);
  ::unsetenv("DREAMGYM_TEST_KEY");
}

TEST(EndpointFleet, RefusesSettingsThatMeanNothing) {
  EXPECT_THROW(EndpointFleet{quick({})}, Error);
  EndpointConfig config = quick({"http://127.0.0.1:9"});
  config.timeout_seconds = 0;
  EXPECT_THROW(EndpointFleet{config}, Error);
  EndpointFleet wrong(quick({"no url at all"}));
  EXPECT_THROW((void)wrong.call("/x", "{}", accept_all), Error);
}

TEST(EndpointChat, ReadsRepliesInOrderAndKeepsFailuresApart) {
  FaultServer server([](const FaultRequest& request) {
    const std::string said = Json::parse(request.body)["messages"][0]["content"];
    return said == "fail" ? FaultReply{.status = 503, .body = ""}
                          : FaultReply{.body = chat_answer("echo \"" + said + "\"")};
  });
  EndpointConfig config = quick({server.url()});
  config.breaker_failures = 1000;
  config.concurrency = 4;
  EndpointChat chat(std::make_shared<EndpointFleet>(config), StructuredOutput::kSchema, false);
  std::vector<ChatPrompt> prompts(12);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    prompts[i].messages = {{"user", i == 5 ? "fail" : std::to_string(i)}};
  }
  const auto replies = chat.chat(prompts);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (i == 5) {
      EXPECT_FALSE(replies[i]);
    } else {
      ASSERT_TRUE(replies[i]);
      EXPECT_EQ(replies[i]->text, fmt::format("echo \"{}\"", i));
      EXPECT_EQ(replies[i]->prompt_tokens, 11U);
    }
  }
  EXPECT_EQ(chat.counters().given_up, 1U);
}

}  // namespace
}  // namespace dreamgym
