// The models made for tests and the decorators, all held against the contract.
#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/cached_model.h"
#include "dreamgym/llm/flaky_model.h"
#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/recorded_model.h"
#include "dreamgym/llm/replayed_model.h"
#include "dreamgym/llm/scripted_model.h"
#include "tests/contract/language_model_contract.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

using Choices = std::vector<std::vector<TokenId>>;

std::shared_ptr<const BpeTokenizer> tokenizer() {
  static const auto shared =
      std::make_shared<const BpeTokenizer>(base_vocabulary({"mug", "shelf"}, false));
  return shared;
}

/// Says something random that depends on the context and, unless greedy, on the seed.
std::vector<TokenId> random_answer(const GenerationRequest& request) {
  Rng rng = Rng(request.temperature == 0 ? 0 : request.seed)
                .fork("answer", static_cast<std::uint64_t>(request.context.back()));
  if (request.choices) {
    return rng.choose(all_paths(*request.choices));
  }
  std::vector<TokenId> tokens(20);
  for (auto& token : tokens) {
    token = static_cast<TokenId>(rng.below(300));
  }
  return tokens;
}

std::unique_ptr<ScriptedModel> random_model() {
  return std::make_unique<ScriptedModel>(tokenizer(), random_answer);
}

/// A scripted model with a decorator around it.
template <class Decorator>
class Decorated final : public LanguageModel {
 public:
  template <class... Arguments>
  explicit Decorated(Arguments&&... arguments)
      : inner_(random_model()), outer_(*inner_, std::forward<Arguments>(arguments)...) {}
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    return outer_.generate(requests);
  }
  void release(std::span<const std::uint64_t> sessions) override { outer_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return outer_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return outer_.max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return outer_.version(); }

 private:
  std::unique_ptr<ScriptedModel> inner_;
  Decorator outer_;
};

/// Records each call and answers it from the recording read back.
class RecordThenReplay final : public LanguageModel {
 public:
  RecordThenReplay()
      : inner_(random_model()), recorded_(*inner_, folder_.path() / "recording.jsonl") {}
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    (void)recorded_.generate(requests);
    return replay().generate(requests);
  }
  void release(std::span<const std::uint64_t> sessions) override { replay().release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return recorded_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return replay().max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return replay().version(); }

 private:
  [[nodiscard]] ReplayedModel replay() const {
    return {folder_.path() / "recording.jsonl", dreamgym::tokenizer()};
  }

  TemporaryFolder folder_;
  std::unique_ptr<ScriptedModel> inner_;
  RecordedModel recorded_;
};

LanguageModelContract contract_of(std::function<std::unique_ptr<LanguageModel>()> make) {
  return {.make = std::move(make), .logprob_tolerance = 0};
}

DREAMGYM_LANGUAGE_MODEL_CONTRACT(ScriptedModelContract, contract_of(random_model))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(ReplayedModelContract,
                                 contract_of([] { return std::make_unique<RecordThenReplay>(); }))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(CachedModelContract, contract_of([] {
                                   return std::make_unique<Decorated<CachedModel>>(3U);
                                 }))
DREAMGYM_LANGUAGE_MODEL_CONTRACT(QuietFlakyModelContract, contract_of([] {
                                   return std::make_unique<Decorated<FlakyModel>>(FlakyConfig{},
                                                                                  1U);
                                 }))

GenerationRequest request_of(std::string_view text) {
  GenerationRequest request;
  request.context = tokenizer()->encode(text);
  return request;
}

TEST(ScriptedModel, SaysItsTextsOneAfterTheOther) {
  ScriptedModel model(tokenizer(), {"take mug 1<|end|>never said", "no"});
  GenerationRequest request = request_of("what?");
  request.stop = {*tokenizer()->marker(markers::kEnd)};
  const auto replies = model.generate(std::vector{request, request});
  EXPECT_EQ(tokenizer()->decode(replies[0].tokens), "take mug 1<|end|>");
  EXPECT_EQ(replies[0].finish, FinishReason::kStop);
  EXPECT_EQ(tokenizer()->decode(replies[1].tokens), "no");
  EXPECT_EQ(replies[1].finish, FinishReason::kLength);
  EXPECT_EQ(model.requests().size(), 2U);
  EXPECT_THROW((void)model.generate(std::vector{request}), Error);
}

TEST(ScriptedModel, RefusesAnAnswerThatIsNoChoice) {
  ScriptedModel model(tokenizer(), {"no"});
  GenerationRequest request = request_of("what?");
  request.choices = std::make_shared<TokenTrie>(Choices{tokenizer()->encode("yes")});
  EXPECT_THROW((void)model.generate(std::vector{request}), Error);
}

TEST(ScriptedModel, GivesAllAllowedTokensTheSameProbability) {
  ScriptedModel model(tokenizer(), {" 1<|end|>", "x"});
  GenerationRequest request = request_of("which?");
  request.choices = std::make_shared<TokenTrie>(std::vector{
      encode_script(*tokenizer(), " 1<|end|>"), encode_script(*tokenizer(), " 2<|end|>")});
  const auto choice = model.generate(std::vector{request}).front();
  EXPECT_EQ(choice.logprobs, (std::vector<float>{-std::log(2.0F), 0.0F}));
  request.choices = nullptr;
  const auto free = model.generate(std::vector{request}).front();
  const auto size = static_cast<float>(tokenizer()->vocabulary_size());
  EXPECT_FLOAT_EQ(free.logprobs.front(), -std::log(size));
}

TEST(ReplayedModel, NamesTheRequestThatWasNotRecorded) {
  const TemporaryFolder folder;
  const auto inner = random_model();
  RecordedModel recorded(*inner, folder.path() / "r.jsonl");
  (void)recorded.generate(std::vector{request_of("take the mug 1")});
  ReplayedModel replayed(folder.path() / "r.jsonl", tokenizer());
  try {
    (void)replayed.generate(std::vector{request_of("take the shelf 9")});
    FAIL() << "answered what was never asked";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_TRUE(contains(error.what(), "take the shelf 9")) << error.what();
  }
}

TEST(ReplayedModel, GivesSeveralRepliesToOneRequestInTheirOrder) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "r.jsonl";
  {
    ScriptedModel inner(tokenizer(), {"one", "two"});
    RecordedModel first(inner, path);
    (void)first.generate(std::vector{request_of("?")});
    RecordedModel second(inner, path);  // continues the recording
    (void)second.generate(std::vector{request_of("?")});
  }
  ReplayedModel replayed(path, tokenizer());
  for (const char* expected : {"one", "two", "two"}) {
    const auto reply = replayed.generate(std::vector{request_of("?")}).front();
    EXPECT_EQ(tokenizer()->decode(reply.tokens), expected);
  }
}

TEST(ReplayedModel, RecognisesARequestWhateverItsSession) {
  const TemporaryFolder folder;
  const auto inner = random_model();
  RecordedModel recorded(*inner, folder.path() / "r.jsonl");
  auto request = request_of("mug");
  const auto reply = recorded.generate(std::vector{request}).front();
  request.session = 4;
  request.kept_tokens = 1;
  ReplayedModel replayed(folder.path() / "r.jsonl", tokenizer());
  EXPECT_EQ(replayed.generate(std::vector{request}).front().tokens, reply.tokens);
  request.seed = 1;
  EXPECT_THROW((void)replayed.generate(std::vector{request}), Error);
}

TEST(ReplayedModel, SaysWhichLineOfARecordingIsBroken) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "r.jsonl";
  const std::string header =
      R"({"format":"dreamgym-model-recording","format_version":1,"vocabulary_size":371,)"
      R"("max_context_tokens":9,"model":"m"})";
  const auto message = [&](const std::string& text) -> std::string {
    write_file(path, text);
    try {
      const ReplayedModel model(path, tokenizer());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      return error.what();
    }
    return "";
  };
  ASSERT_EQ(tokenizer()->vocabulary_size(), 371U);
  EXPECT_EQ(message(header + "\n"), "");
  EXPECT_TRUE(contains(message(""), "is empty"));
  EXPECT_TRUE(contains(message("{}\n"), "line 1: is no model recording"));
  EXPECT_TRUE(contains(message(replace_all(header, "371", "370") + "\n"), "370 tokens"));
  EXPECT_TRUE(contains(message(replace_all(header, "_version\":1", "_version\":2") + "\n"),
                       "format version 2, expected 1"));
  EXPECT_TRUE(contains(message(header + "\n{\"key\n"), "line 2: is no JSON object"));
  EXPECT_TRUE(contains(message(header + "\n{\"key\":\"k\"}\n"), "line 2: has no usable \"model\""));
  const std::string line =
      R"({"key":"k","model":"m","reply":[1],"logprobs":[0.5,1],"finish":"stop"})";
  EXPECT_TRUE(contains(message(header + "\n" + line + "\n"), "1 reply tokens but 2"));
  EXPECT_TRUE(contains(message(header + "\n" + replace_all(line, "stop", "end") + "\n"),
                       "\"finish\" is \"end\""));
}

TEST(RecordedModel, RefusesToContinueARecordingOfAnotherVocabulary) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "r.jsonl";
  const auto inner = random_model();
  const RecordedModel first(*inner, path);
  const auto other = std::make_shared<const BpeTokenizer>(base_vocabulary({"mug"}, false));
  ScriptedModel another(other, std::vector<std::string>{});
  EXPECT_THROW(RecordedModel(another, path), Error);
}

TEST(CachedModel, AsksTheModelOnlyWhatItDoesNotKnow) {
  const auto inner = random_model();
  CachedModel cached(*inner, 2);
  const auto a = request_of("a");
  const auto b = request_of("b");
  const auto c = request_of("c");
  (void)cached.generate(std::vector{a, b, a});
  EXPECT_EQ(inner->requests().size(), 2U);
  (void)cached.generate(std::vector{a});
  (void)cached.generate(std::vector{c});  // b is the least recently used
  EXPECT_EQ(inner->requests().size(), 3U);
  (void)cached.generate(std::vector{a});
  EXPECT_EQ(inner->requests().size(), 3U);
  (void)cached.generate(std::vector{b});
  EXPECT_EQ(inner->requests().size(), 4U);
  EXPECT_EQ(cached.num_hits(), 3U);
  EXPECT_EQ(cached.num_misses(), 4U);
  EXPECT_THROW(CachedModel(*inner, 0), Error);
}

TEST(FlakyModel, FailsAtTheGivenRateAndSucceedsWhenTriedAgain) {
  const auto run = [](std::uint64_t seed) {
    const auto inner = random_model();
    FlakyModel flaky(*inner, {.failure_probability = 0.3}, seed);
    std::vector<bool> failed;
    for (int i = 0; i < 200; ++i) {
      try {
        (void)flaky.generate(std::vector{request_of("same")});
        failed.push_back(false);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        failed.push_back(true);
      }
    }
    EXPECT_NEAR(static_cast<double>(flaky.num_failures()), 60, 25);
    return failed;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(FlakyModel, DamagesRepliesButNoChoices) {
  const auto inner = random_model();
  FlakyModel flaky(*inner, {.cut_probability = 0.5, .garble_probability = 0.5}, 3);
  std::size_t num_cut = 0;
  std::size_t num_garbled = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto request = request_of("mug");
    request.seed = seed;
    request.max_tokens = 8;
    const auto good = inner->generate(std::vector{request}).front();
    const auto bad = flaky.generate(std::vector{request}).front();
    ASSERT_EQ(bad.logprobs.size(), bad.tokens.size());
    num_cut += bad.tokens.size() == 4 ? 1 : 0;
    num_garbled += bad.tokens.size() == 8 && bad.tokens != good.tokens ? 1 : 0;
    request.choices = std::make_shared<TokenTrie>(Choices{good.tokens});
    EXPECT_EQ(flaky.generate(std::vector{request}).front().tokens, good.tokens);
  }
  EXPECT_NEAR(static_cast<double>(num_cut), 50, 20);
  EXPECT_NEAR(static_cast<double>(num_garbled), 25, 15);
  EXPECT_GE(flaky.num_damaged_replies(), num_cut + num_garbled);
  EXPECT_THROW(FlakyModel(*inner, {.cut_probability = 1.5}, 1), Error);
}

}  // namespace
}  // namespace dreamgym
