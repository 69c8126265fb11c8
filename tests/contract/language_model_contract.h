// The promise of llm/language_model.h as a test suite that any language model can run.
//
// In a test file of the model:
//
//   LanguageModelContract scripted_contract() { return {.make = ...}; }
//   DREAMGYM_LANGUAGE_MODEL_CONTRACT(ScriptedModel, scripted_contract())
//
// Contexts are random ids from fixed seeds, so that the tokenizer plays no part. A macro and free
// functions rather than TEST_P, so that several test files of one program can include it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/generation_queue.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {

struct LanguageModelContract {
  /// Every model made has the same weights.
  std::function<std::unique_ptr<LanguageModel>()> make{};
  bool varies_with_seed = true;      ///< at temperature 1 it does not always say the same
  double logprob_tolerance = 1e-4;   ///< between two ways of computing one reply
  std::size_t context_tokens = 24;   ///< longest context drawn, > 4
  std::size_t max_reply_tokens = 8;  ///< > 2
};

namespace language_model_contract {

using Tokens = std::vector<TokenId>;

inline Tokens some_tokens(const LanguageModel& model, Rng& rng, std::size_t count) {
  Tokens tokens(count);
  for (auto& token : tokens) {
    token = static_cast<TokenId>(rng.below(model.tokenizer().vocabulary_size()));
  }
  return tokens;
}

/// A request without session that differs from that of any other seed.
inline GenerationRequest some_request(const LanguageModelContract& contract,
                                      const LanguageModel& model,
                                      std::uint64_t seed) {
  Rng rng = Rng(seed).fork("request");
  GenerationRequest request;
  request.context = some_tokens(model, rng, 2 + rng.below(contract.context_tokens - 2));
  request.max_tokens = 1 + rng.below(contract.max_reply_tokens);
  request.seed = rng.next();
  return request;
}

inline std::shared_ptr<const TokenTrie> some_choices(const LanguageModelContract& contract,
                                                     const LanguageModel& model,
                                                     std::uint64_t seed) {
  Rng rng = Rng(seed).fork("choices");
  const TokenId end = 0;
  std::vector<Tokens> choices(2 + rng.below(6));
  for (auto& choice : choices) {
    // Few different tokens, so that choices share beginnings and some tokens are forced.
    const std::size_t length = 1 + rng.below(contract.max_reply_tokens - 2);
    for (std::size_t i = 0; i < length; ++i) {
      choice.push_back(static_cast<TokenId>(
          1 + rng.below(std::min<std::size_t>(3, model.tokenizer().vocabulary_size() - 1))));
    }
    choice.push_back(end);
  }
  return std::make_shared<TokenTrie>(choices);
}

inline GenerationReply ask(LanguageModel& model, const GenerationRequest& request) {
  auto replies = model.generate(std::vector{request});
  EXPECT_EQ(replies.size(), 1U);
  return replies.empty() ? GenerationReply{} : replies.front();
}

inline void expect_same(const LanguageModelContract& contract,
                        const GenerationReply& got,
                        const GenerationReply& expected) {
  EXPECT_EQ(got.tokens, expected.tokens);
  EXPECT_EQ(got.finish, expected.finish);
  ASSERT_EQ(got.logprobs.size(), expected.logprobs.size());
  for (std::size_t i = 0; i < got.logprobs.size(); ++i) {
    EXPECT_NEAR(got.logprobs[i], expected.logprobs[i], contract.logprob_tolerance) << "token " << i;
  }
}

inline void describes_itself(const LanguageModelContract& contract) {
  const auto model = contract.make();
  EXPECT_FALSE(model->version().empty());
  EXPECT_GT(model->tokenizer().vocabulary_size(), 1U);
  EXPECT_GE(model->max_context_tokens(), contract.context_tokens + contract.max_reply_tokens);
  EXPECT_TRUE(model->generate({}).empty());
}

inline void replies_come_in_the_order_of_the_requests(const LanguageModelContract& contract) {
  const auto model = contract.make();
  std::vector<GenerationRequest> requests;
  for (std::uint64_t seed = 0; seed < 7; ++seed) {
    requests.push_back(some_request(contract, *model, seed));
    requests.back().temperature = seed % 2 == 0 ? 1.0 : 0.0;
    if (seed % 3 == 2) {
      requests.back().choices = some_choices(contract, *model, seed);
      requests.back().max_tokens = contract.max_reply_tokens;
    }
  }
  const auto together = model->generate(requests);
  ASSERT_EQ(together.size(), requests.size());
  const auto other = contract.make();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(contract, together[i], ask(*other, requests[i]));
  }
}

inline void no_reply_is_longer_than_asked(const LanguageModelContract& contract) {
  const auto model = contract.make();
  for (std::uint64_t seed = 10; seed < 20; ++seed) {
    const auto request = some_request(contract, *model, seed);
    const auto reply = ask(*model, request);
    EXPECT_LE(reply.tokens.size(), request.max_tokens);
    EXPECT_EQ(reply.finish, FinishReason::kLength);  // there is nothing else to stop it
    for (const TokenId token : reply.tokens) {
      EXPECT_GE(token, 0);
      EXPECT_LT(static_cast<std::size_t>(token), model->tokenizer().vocabulary_size());
    }
  }
}

inline void every_token_has_a_logprob(const LanguageModelContract& contract) {
  const auto model = contract.make();
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    auto request = some_request(contract, *model, seed);
    request.temperature = seed % 3 == 0 ? 0.0 : 0.7;
    const auto reply = ask(*model, request);
    ASSERT_EQ(reply.logprobs.size(), reply.tokens.size());
    for (const float logprob : reply.logprobs) {
      EXPECT_TRUE(std::isfinite(logprob));
      EXPECT_LE(logprob, 0.0F);
    }
  }
}

inline void the_stop_token_is_the_last(const LanguageModelContract& contract) {
  const auto model = contract.make();
  for (std::uint64_t seed = 30; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    auto request = some_request(contract, *model, seed);
    request.max_tokens = contract.max_reply_tokens;
    request.temperature = seed % 2 == 0 ? 1.0 : 0.0;
    const auto whole = ask(*model, request);
    ASSERT_FALSE(whole.tokens.empty());
    const TokenId stop = whole.tokens[whole.tokens.size() / 2];
    const auto first = std::ranges::find(whole.tokens, stop);
    request.stop = {stop};
    const auto reply = ask(*model, request);
    EXPECT_EQ(reply.tokens, Tokens(whole.tokens.begin(), first + 1));
    EXPECT_EQ(reply.finish, FinishReason::kStop);
  }
}

inline void a_choice_is_a_path_of_its_trie(const LanguageModelContract& contract) {
  const auto model = contract.make();
  for (std::uint64_t seed = 40; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    auto request = some_request(contract, *model, seed);
    request.choices = some_choices(contract, *model, seed);
    request.max_tokens = contract.max_reply_tokens;
    request.temperature = seed % 2 == 0 ? 1.0 : 0.0;
    request.stop = {1};  // ignored where there are choices
    const auto reply = ask(*model, request);
    ASSERT_TRUE(is_path(*request.choices, reply.tokens));
    EXPECT_EQ(reply.finish, FinishReason::kChoice);
    ASSERT_EQ(reply.logprobs.size(), reply.tokens.size());
    const auto allowed = allowed_along(*request.choices, reply.tokens);
    for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
      if (allowed[i].size() == 1) {
        EXPECT_EQ(reply.logprobs[i], 0.0F) << "forced token " << i;
      } else {
        EXPECT_LE(reply.logprobs[i], 0.0F) << "token " << i;
      }
    }
  }
}

inline void greedy_replies_do_not_depend_on_the_seed(const LanguageModelContract& contract) {
  const auto model = contract.make();
  for (std::uint64_t seed = 60; seed < 66; ++seed) {
    auto request = some_request(contract, *model, seed);
    request.temperature = 0;
    request.choices = seed % 2 == 0 ? some_choices(contract, *model, seed) : nullptr;
    request.max_tokens = contract.max_reply_tokens;
    const auto reply = ask(*model, request);
    request.seed += 1;
    expect_same(contract, ask(*model, request), reply);
  }
}

inline void sampled_replies_depend_on_the_seed(const LanguageModelContract& contract) {
  const auto model = contract.make();
  auto request = some_request(contract, *model, 70);
  request.max_tokens = contract.max_reply_tokens;
  std::set<Tokens> seen;
  for (request.seed = 0; request.seed < 20; ++request.seed) {
    seen.insert(ask(*model, request).tokens);
  }
  EXPECT_EQ(seen.size() > 1, contract.varies_with_seed);
}

inline void what_else_is_in_the_batch_changes_nothing(const LanguageModelContract& contract) {
  const auto model = contract.make();
  auto request = some_request(contract, *model, 80);
  request.max_tokens = contract.max_reply_tokens;
  const auto alone = ask(*model, request);
  for (std::uint64_t place = 0; place < 4; ++place) {
    std::vector<GenerationRequest> batch;
    for (std::uint64_t i = 0; i < 4; ++i) {
      batch.push_back(i == place ? request : some_request(contract, *model, 81 + 4 * place + i));
    }
    const auto replies = model->generate(batch);
    ASSERT_EQ(replies.size(), batch.size());
    SCOPED_TRACE(place);
    expect_same(contract, replies[place], alone);
  }
}

/// Asks with the session and, of another model, without; the replies must agree.
inline GenerationReply ask_both_ways(const LanguageModelContract& contract,
                                     LanguageModel& with_sessions,
                                     LanguageModel& without,
                                     GenerationRequest request) {
  const auto reply = ask(with_sessions, request);
  request.session = 0;
  request.kept_tokens = 0;
  expect_same(contract, reply, ask(without, request));
  return reply;
}

inline void a_session_that_appends_changes_nothing(const LanguageModelContract& contract) {
  const auto model = contract.make();
  const auto without = contract.make();
  Rng rng(90);
  std::vector<Tokens> contexts = {some_tokens(*model, rng, 4), some_tokens(*model, rng, 3)};
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    for (std::size_t session = 0; session < contexts.size(); ++session) {
      SCOPED_TRACE(turn);
      GenerationRequest request;
      request.session = session + 1;
      request.context = contexts[session];
      request.max_tokens = 3;
      request.temperature = turn == 1 ? 0.0 : 1.0;
      request.seed = rng.next();
      const auto reply = ask_both_ways(contract, *model, *without, request);
      auto& context = contexts[session];
      context.insert(context.end(), reply.tokens.begin(), reply.tokens.end());
      const auto read = some_tokens(*model, rng, 2);
      context.insert(context.end(), read.begin(), read.end());
    }
  }
}

inline void a_session_that_rolls_back_changes_nothing(const LanguageModelContract& contract) {
  const auto model = contract.make();
  const auto without = contract.make();
  Rng rng(91);
  Tokens history = some_tokens(*model, rng, 4);
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    SCOPED_TRACE(turn);
    GenerationRequest request;
    request.session = 7;
    request.context = history;
    const auto tail = some_tokens(*model, rng, 1 + rng.below(6));
    request.context.insert(request.context.end(), tail.begin(), tail.end());
    request.kept_tokens = history.size();
    request.max_tokens = 3;
    request.seed = rng.next();
    ask_both_ways(contract, *model, *without, request);
    if (turn == 2) {
      history = some_tokens(*model, rng, 3);  // the caller has changed its mind altogether
    } else {
      history.push_back(tail.front());
    }
  }
}

inline void a_released_session_begins_anew(const LanguageModelContract& contract) {
  const auto model = contract.make();
  auto request = some_request(contract, *model, 95);
  request.session = 5;
  const auto reply = ask(*model, request);
  model->release(std::vector<std::uint64_t>{5, 123456789, 0});
  expect_same(contract, ask(*model, request), reply);
  model->release({});
}

/// Requests that come one by one, are answered as they end, and a session that goes on while others run.
inline void a_queue_says_what_generate_says(const LanguageModelContract& contract) {
  const auto model = contract.make();
  const auto other = contract.make();
  const auto queue = model->open_queue();
  std::map<std::uint64_t, GenerationRequest> asked;
  std::map<std::uint64_t, GenerationReply> replies;
  const auto submit = [&](std::uint64_t ticket, GenerationRequest request) {
    asked.emplace(ticket, request);
    queue->submit(ticket, std::move(request));
  };
  const auto keep = [&](std::vector<GenerationQueue::Ended> ended) {
    for (auto& one : ended) {
      EXPECT_TRUE(replies.emplace(one.ticket, std::move(one.reply)).second) << one.ticket;
    }
  };
  EXPECT_TRUE(queue->idle());
  EXPECT_TRUE(queue->collect(kUntilItComes).empty());
  EXPECT_TRUE(queue->finish().empty());
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    auto request = some_request(contract, *model, seed);
    request.session = seed % 3 == 0 ? seed : 0;
    if (seed % 4 == 1) {
      request.choices = some_choices(contract, *model, seed);
      request.max_tokens = contract.max_reply_tokens;
    }
    submit(seed, std::move(request));
    keep(queue->collect({}));
  }
  while (!queue->idle()) {
    keep(queue->collect(kUntilItComes));
  }
  for (const std::uint64_t seed : {102, 105, 108}) {  // the sessions' next turns
    auto request = some_request(contract, *model, seed + 50);
    request.session = seed;
    request.context = asked.at(seed).context;
    request.context.insert(
        request.context.end(), replies.at(seed).tokens.begin(), replies.at(seed).tokens.end());
    submit(seed + 50, std::move(request));
  }
  keep(queue->finish());
  EXPECT_TRUE(queue->idle());
  ASSERT_EQ(replies.size(), asked.size());
  for (auto& [ticket, request] : asked) {
    SCOPED_TRACE(ticket);
    request.session = 0;
    expect_same(contract, replies.at(ticket), ask(*other, request));
  }
}

}  // namespace language_model_contract

/// One test for each clause of the promise.
#define DREAMGYM_LANGUAGE_MODEL_CONTRACT(suite, contract)                         \
  TEST(suite, DescribesItself) {                                                  \
    language_model_contract::describes_itself(contract);                          \
  }                                                                               \
  TEST(suite, RepliesComeInTheOrderOfTheRequests) {                               \
    language_model_contract::replies_come_in_the_order_of_the_requests(contract); \
  }                                                                               \
  TEST(suite, NoReplyIsLongerThanAsked) {                                         \
    language_model_contract::no_reply_is_longer_than_asked(contract);             \
  }                                                                               \
  TEST(suite, EveryTokenHasALogprob) {                                            \
    language_model_contract::every_token_has_a_logprob(contract);                 \
  }                                                                               \
  TEST(suite, TheStopTokenIsTheLast) {                                            \
    language_model_contract::the_stop_token_is_the_last(contract);                \
  }                                                                               \
  TEST(suite, AChoiceIsAPathOfItsTrie) {                                          \
    language_model_contract::a_choice_is_a_path_of_its_trie(contract);            \
  }                                                                               \
  TEST(suite, GreedyRepliesDoNotDependOnTheSeed) {                                \
    language_model_contract::greedy_replies_do_not_depend_on_the_seed(contract);  \
  }                                                                               \
  TEST(suite, SampledRepliesDependOnTheSeed) {                                    \
    language_model_contract::sampled_replies_depend_on_the_seed(contract);        \
  }                                                                               \
  TEST(suite, WhatElseIsInTheBatchChangesNothing) {                               \
    language_model_contract::what_else_is_in_the_batch_changes_nothing(contract); \
  }                                                                               \
  TEST(suite, ASessionThatAppendsChangesNothing) {                                \
    language_model_contract::a_session_that_appends_changes_nothing(contract);    \
  }                                                                               \
  TEST(suite, ASessionThatRollsBackChangesNothing) {                              \
    language_model_contract::a_session_that_rolls_back_changes_nothing(contract); \
  }                                                                               \
  TEST(suite, AReleasedSessionBeginsAnew) {                                       \
    language_model_contract::a_released_session_begins_anew(contract);            \
  }                                                                               \
  TEST(suite, AQueueSaysWhatGenerateSays) {                                       \
    language_model_contract::a_queue_says_what_generate_says(contract);           \
  }

}  // namespace dreamgym
