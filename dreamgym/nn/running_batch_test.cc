#include "dreamgym/nn/running_batch.h"

#include <gtest/gtest.h>

#include <map>

#include "dreamgym/base/rng.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

using namespace std::chrono_literals;
using End = RunningBatch::End;

// With convolutions: the family whose memory is the hardest to share.
const TransformerWeights& weights() {
  static const TransformerWeights kWeights = [] {
    TransformerConfig config = transformer_preset("nano-s");
    config.vocab_size = 96;
    config.max_position = 768;
    return initial_weights(config, 4);
  }();
  return kWeights;
}

GenerationEngine make_engine(std::size_t threads = 1) {
  return {weights(), nullptr, {.num_threads = threads, .prefill_chunk_tokens = 16}};
}

std::vector<TokenId> tokens(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<TokenId> out(count);
  for (TokenId& token : out) {
    token = static_cast<TokenId>(rng.below(96));
  }
  return out;
}

GenerationRequest request_of(std::uint64_t seed, std::size_t context, std::size_t max_tokens) {
  GenerationRequest request;
  request.context = tokens(seed, context);
  request.max_tokens = max_tokens;
  request.seed = seed;
  return request;
}

void run_out(RunningBatch& batch, std::map<RunningBatch::Ticket, RunningBatch::Ended>& ended) {
  while (!batch.idle()) {
    for (auto& one : batch.step()) {
      ended[one.ticket] = one;
    }
  }
}

class RunningBatchOfThreads : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, RunningBatchOfThreads, testing::Values(1, 3));

TEST_P(RunningBatchOfThreads, SaysWhatGenerateSaysWheneverRequestsCome) {
  GenerationEngine engine = make_engine(GetParam());
  std::vector<GenerationRequest> requests;
  for (std::size_t i = 0; i < 10; ++i) {
    requests.push_back(request_of(i, 5 + 31 * i, 3 + i));
  }
  requests[4].max_tokens = 0;
  requests[7].choices = std::make_shared<TokenTrie>(
      std::vector<std::vector<TokenId>>{{1, 2, 3}, {1, 4}, {5, 6, 7, 8}});
  const auto expected = engine.generate(requests);
  const SteadyClock clock;
  RunningBatch batch(engine, {.max_running = 4}, clock);
  std::map<RunningBatch::Ticket, RunningBatch::Ended> ended;
  std::vector<RunningBatch::Ticket> tickets;
  for (const GenerationRequest& request : requests) {
    tickets.push_back(*batch.submit({.request = request}));
    for (auto& one : batch.step()) {
      ended[one.ticket] = one;
    }
  }
  run_out(batch, ended);
  ASSERT_EQ(ended.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(ended[tickets[i]].end, End::kReplied);
    EXPECT_EQ(ended[tickets[i]].reply.tokens, expected[i].tokens) << i;
    EXPECT_EQ(ended[tickets[i]].reply.logprobs, expected[i].logprobs) << i;
    EXPECT_EQ(ended[tickets[i]].reply.finish, expected[i].finish) << i;
  }
}

TEST(RunningBatch, ALongPromptHoldsNobodyUp) {
  GenerationEngine engine = make_engine();
  const SteadyClock clock;
  RunningBatch batch(engine, {}, clock);
  (void)*batch.submit({.request = request_of(1, 4, 20)});
  const auto ticket = batch.submit({.request = request_of(2, 600, 1)});
  std::size_t steps = 0;
  while (batch.num_running() + batch.num_waiting() > 1) {  // until the short one is through
    for (const auto& one : batch.step()) {
      EXPECT_NE(one.ticket, *ticket);
    }
    ++steps;
  }
  EXPECT_LE(steps, 21U);  // a token a pass, the prompt's chunks beside it
}

TEST(RunningBatch, ReadsAGroupsPromptOnceWheneverItsMembersCome) {
  const SteadyClock clock;
  const std::vector<TokenId> prompt = tokens(9, 300);
  GenerationEngine engine = make_engine();
  RunningBatch batch(engine, {}, clock);
  std::map<RunningBatch::Ticket, RunningBatch::Ended> ended;
  std::vector<GenerationRequest> group;
  for (std::size_t i = 0; i < 8; ++i) {
    GenerationRequest request = request_of(i, 1, 6);
    request.context = prompt;
    request.context.push_back(static_cast<TokenId>(i));
    request.seed = i;
    group.push_back(request);
    (void)*batch.submit({.request = request});
    for (auto& one : batch.step()) {
      ended[one.ticket] = one;
    }
  }
  run_out(batch, ended);
  EXPECT_LE(engine.counters().prefill_tokens, 300U + 8 * 2);
  GenerationEngine apart = make_engine();
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ended[i + 1].reply.tokens, apart.generate(std::span(&group[i], 1)).front().tokens);
  }
}

TEST(RunningBatch, EndsWhatIsCancelledOrLate) {
  GenerationEngine engine = make_engine();
  ManualClock clock;
  RunningBatch batch(engine, {.max_running = 2}, clock);
  const auto cancelled = *batch.submit({.request = request_of(1, 4, 200)});
  const auto late = *batch.submit({.request = request_of(2, 4, 200), .deadline = 5s});
  const auto waiting = *batch.submit({.request = request_of(3, 4, 200), .deadline = 1s});
  EXPECT_TRUE(batch.step().empty());
  batch.cancel(cancelled);
  batch.cancel(999);  // nobody
  clock.advance(2s);
  auto ended = batch.step();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].ticket, cancelled);
  EXPECT_EQ(ended[0].end, End::kCancelled);
  EXPECT_EQ(ended[0].reply.tokens.size(), 1U);  // what it had said
  EXPECT_EQ(ended[1].ticket, waiting);
  EXPECT_EQ(ended[1].end, End::kDeadline);
  clock.advance(3s);
  ended = batch.step();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].ticket, late);
  EXPECT_EQ(ended[0].reply.tokens.size(), 2U);
  EXPECT_TRUE(batch.idle());
}

TEST(RunningBatch, AFollowerGoesOnWithoutItsLeader) {
  GenerationEngine engine = make_engine();
  const SteadyClock clock;
  RunningBatch batch(engine, {}, clock);
  GenerationRequest request = request_of(5, 200, 4);
  const auto leader = *batch.submit({.request = request});
  const auto follower = *batch.submit({.request = request});
  (void)batch.step();
  batch.cancel(leader);
  std::map<RunningBatch::Ticket, RunningBatch::Ended> ended;
  run_out(batch, ended);
  EXPECT_EQ(ended[follower].reply.tokens,
            make_engine().generate(std::span(&request, 1)).front().tokens);
}

TEST(RunningBatch, TakesNoMoreThanMayWait) {
  GenerationEngine engine = make_engine();
  const SteadyClock clock;
  RunningBatch batch(engine, {.max_running = 1, .max_waiting = 2}, clock);
  EXPECT_TRUE(batch.submit({.request = request_of(1, 4, 4)}));
  EXPECT_TRUE(batch.submit({.request = request_of(2, 4, 4)}));
  EXPECT_FALSE(batch.submit({.request = request_of(3, 4, 4)}));
  (void)batch.step();  // one of them runs now
  EXPECT_TRUE(batch.submit({.request = request_of(3, 4, 4)}));
  EXPECT_NE(message_of([&] { (void)batch.submit({.request = request_of(3, 0, 4)}); }), "");
}

TEST(RunningBatch, GivesEveryOwnerItsTurn) {
  GenerationEngine engine = make_engine();
  const SteadyClock clock;
  RunningBatch batch(engine, {.max_running = 2}, clock);
  for (std::uint64_t i = 0; i < 6; ++i) {
    (void)*batch.submit({.request = request_of(i, 4, 1), .owner = 1});
  }
  const auto other = *batch.submit({.request = request_of(9, 4, 1), .owner = 2});
  const auto ended = batch.step();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[1].ticket, other);  // it came last, and the first one had a seat already
}

TEST(RunningBatch, ASessionsRequestsFollowOneAnother) {
  GenerationEngine engine = make_engine();
  const SteadyClock clock;
  RunningBatch batch(engine, {}, clock);
  GenerationRequest first = request_of(1, 40, 3);
  first.session = 7;
  GenerationRequest second = first;
  second.context.push_back(3);
  (void)*batch.submit({.request = first});
  (void)*batch.submit({.request = second});
  (void)batch.step();
  EXPECT_EQ(batch.num_running(), 1U);
  EXPECT_EQ(batch.num_waiting(), 1U);
  std::map<RunningBatch::Ticket, RunningBatch::Ended> ended;
  run_out(batch, ended);
  EXPECT_EQ(ended.size(), 2U);
  EXPECT_GE(engine.counters().reused_tokens, 39U);
}

}  // namespace
}  // namespace dreamgym
