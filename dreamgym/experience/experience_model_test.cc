#include "dreamgym/experience/experience_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/llm/scripted_model.h"
#include "dreamgym/llm/trie_walk.h"
#include "tests/contract/environment_contract.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

std::shared_ptr<const BpeTokenizer> tokenizer() {
  static const auto shared =
      test_tokenizer({"put a mug 1 in desk 2", "effect: moved; want: mug in desk; got: mug in desk"});
  return shared;
}

Task dream_task() {
  Task task;
  task.id = "t";
  task.world = "test";
  task.instruction = "put a mug in desk";
  task.settings[task_settings::kFirstObservation] = "You see a desk 1.";
  return task;
}

// The dream of one task.
void begin(ExperienceModel& dream) {
  const Task task = dream_task();
  const std::uint64_t seed = 1;
  (void)dream.reset(std::span(&task, 1), std::span(&seed, 1));
}

StepResult act(ExperienceModel& dream, const Action& action) {
  const std::size_t slot = 0;
  return dream.step(std::span(&slot, 1), std::span(&action, 1)).front();
}

// Plays one action in a dream whose model says `reply` (trace<|observation|>text<flag>).
StepResult dream_once(const std::string& reply,
                      ExperienceOptions options,
                      DreamCounters* counters = nullptr,
                      const Action& action = "move mug 1 to desk 1",
                      std::shared_ptr<const EpisodeAuditor> rule = nullptr) {
  const auto tok = tokenizer();
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    const auto whole = encode_script(*tok, reply);
    const auto marker = *tok->marker("<|observation|>");
    const bool second = request.context.back() == marker;
    const auto split = std::find(whole.begin(), whole.end(), marker);
    return second ? std::vector<TokenId>(split + 1, whole.end()) : whole;
  });
  options.num_demonstrations = 0;
  ExperienceModel dream(model, tok, nullptr, options, std::move(rule));
  begin(dream);
  const StepResult result = act(dream, action);
  if (counters != nullptr) {
    *counters = dream.counters();
  }
  return result;
}

TEST(ExperienceModel, AcceptsASuccessWhoseTraceReachedWhatWasWanted) {
  const StepResult result = dream_once(
      "effect: moved; want: mug in desk; got: mug in desk<|observation|>You move it.<|success|>", {});
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 1.0);
  EXPECT_EQ(result.observation.text, "You move it.");
  EXPECT_EQ(result.reasoning_trace, "effect: moved; want: mug in desk; got: mug in desk");
}

TEST(ExperienceModel, RefusesASuccessThatReachedSomethingElse) {
  DreamCounters counters;
  const StepResult result = dream_once(
      "effect: moved; want: mug in desk; got: cup in desk<|observation|>You move it.<|success|>",
      {},
      &counters);
  EXPECT_FALSE(result.terminated);
  EXPECT_EQ(result.reward, 0.0);
  EXPECT_EQ(counters.refused_successes, 1U);
  EXPECT_EQ(counters.successes, 0U);
}

TEST(ExperienceModel, RefusesASuccessWithoutAnyStatement) {
  EXPECT_EQ(dream_once("effect: moved<|observation|>You move it.<|success|>", {}).reward, 0.0);
  ExperienceOptions trusting;
  trusting.verify_success = false;
  EXPECT_EQ(dream_once("effect: moved<|observation|>You move it.<|success|>", trusting).reward, 1.0);
}

TEST(ExperienceModel, ByOptionWantsOnlyWhatTheTaskSays) {
  ExperienceOptions options;
  options.want_from_task = true;
  // dream_task() asks for a mug in a desk.
  EXPECT_EQ(dream_once("effect: moved; want: cup in desk; got: cup in desk<|observation|>You move it.<|success|>",
                       options)
                .reward,
            0.0);
  EXPECT_EQ(dream_once("effect: moved; want: Mug, in desk; got: Mug, in desk<|observation|>You move it.<|success|>",
                       options)
                .reward,
            1.0);
}

TEST(ExperienceModel, ByOptionARefusedSuccessEndsTheEpisode) {
  ExperienceOptions options;
  const std::string missed = "effect: done; want: mug in desk; got: cup in desk<|observation|>Sold.<|success|>";
  EXPECT_FALSE(dream_once(missed, options).terminated);
  options.refusal_ends = true;
  const StepResult refused = dream_once(missed, options);
  EXPECT_TRUE(refused.terminated);
  EXPECT_EQ(refused.reward, 0.0);
}

// Finds a success where the last action names a mug; pays half for moving anything else.
class MugRule final : public EpisodeAuditor {
 public:
  [[nodiscard]] EpisodeAudit audit(const Trajectory& episode) const override {
    const Transition& last = episode.steps.back();
    EXPECT_TRUE(last.terminated);
    EXPECT_EQ(episode.steps.front().observation.text, "You see a desk 1.");
    const bool moved_a_mug = last.action.find("mug") != std::string::npos;
    return {.success_confirmed = episode.success() && moved_a_mug, .goal_share = moved_a_mug ? 1.0 : 0.5};
  }
};

// Plays one action in a dream whose model says `reply`, where MugRule rewards.
StepResult dream_by_rule(const std::string& reply, const Action& action, DreamCounters& counters) {
  ExperienceOptions options;
  options.reward_by_rule = true;
  return dream_once(reply, options, &counters, action, std::make_shared<MugRule>());
}

TEST(ExperienceModel, ByOptionTheWorldsRuleRewardsWhateverTheModelSays) {
  DreamCounters counters;
  const StepResult denied = dream_by_rule(
      "effect: moved; want: mug; got: cup<|observation|>You move it.<|failure|>", "move mug 1 to desk 1", counters);
  EXPECT_TRUE(denied.terminated);
  EXPECT_EQ(denied.reward, 1.0);
  EXPECT_EQ(counters.overruled, 1U);
  EXPECT_EQ(counters.successes, 1U);
  const StepResult claimed = dream_by_rule(
      "effect: moved; want: mug; got: mug<|observation|>You move it.<|success|>", "move cup 1 to desk 1", counters);
  EXPECT_TRUE(claimed.terminated);
  EXPECT_EQ(claimed.reward, 0.5);
  EXPECT_EQ(counters.successes, 0U);
  // Where the model goes on, the rule is not asked.
  const StepResult going_on = dream_by_rule(
      "effect: moved<|observation|>You move it.<|continue|>", "move mug 1 to desk 1", counters);
  EXPECT_FALSE(going_on.terminated);
  EXPECT_EQ(going_on.reward, 0.0);
}

TEST(ExperienceModel, RefusesRewardsByARuleThatIsNotThere) {
  ExperienceOptions options;
  options.num_demonstrations = 0;
  options.reward_by_rule = true;
  const auto tok = tokenizer();
  ScriptedModel model(tok, [&](const GenerationRequest&) { return encode_script(*tok, "effect: moved"); });
  EXPECT_THROW(ExperienceModel(model, tok, nullptr, options), Error);
}

TEST(ExperienceModel, TurnsAnUnparsableReplyIntoAFailureState) {
  DreamCounters counters;
  const StepResult result = dream_once("effect: moved<|action|>what<|end|>", {}, &counters);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 0.0);
  EXPECT_FALSE(result.action_valid);
  EXPECT_EQ(counters.unparsable, 1U);
}

TEST(ExperienceModel, AsksAgainForAReplyThatCantBeRead) {
  const auto tok = tokenizer();
  std::size_t num_asked = 0;
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    if (request.context.back() == *tok->marker("<|observation|>")) {
      return encode_script(*tok, "You move it.<|continue|>");
    }
    return encode_script(*tok,
                         num_asked++ == 0 ? "effect: moved moved moved<|end|>"
                                          : "effect: moved<|observation|>");
  });
  ExperienceOptions options;
  options.num_demonstrations = 0;
  ExperienceModel dream(model, tok, nullptr, options);
  begin(dream);
  EXPECT_EQ(act(dream, "move mug 1 to desk 1").observation.text, "You move it.");
  EXPECT_EQ(num_asked, 2U);
  EXPECT_EQ(dream.counters().resampled, 1U);
  EXPECT_EQ(dream.counters().unparsable, 0U);
  EXPECT_EQ(dream.counters().contradictions, 0U);
}

TEST(ExperienceModel, ReportsAnInvalidAction) {
  const StepResult result =
      dream_once("effect: invalid<|observation|>Nothing happens.<|continue|>", {});
  EXPECT_FALSE(result.action_valid);
  EXPECT_FALSE(result.terminated);
}

TEST(ExperienceModel, NeedsAFirstObservation) {
  ScriptedModel model(tokenizer(), std::vector<std::string>{});
  ExperienceOptions options;
  options.num_demonstrations = 0;
  ExperienceModel dream(model, tokenizer(), nullptr, options);
  Task task = dream_task();
  task.settings.clear();
  const std::uint64_t seed = 1;
  EXPECT_THROW((void)dream.reset(std::span(&task, 1), std::span(&seed, 1)), Error);
}

TEST(ExperienceModel, SamplesOnlyWhatNobodyHasSeen) {
  const auto tok = tokenizer();
  std::vector<double> temperatures;
  std::string effect = "new";
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    temperatures.push_back(request.temperature);
    return encode_script(*tok, request.context.back() == *tok->marker("<|observation|>")
                                   ? "It is empty.<|continue|>"
                                   : "effect: " + effect + "<|observation|>");
  });
  ExperienceOptions options;
  options.num_demonstrations = 0;
  options.hidden_temperature = 0.8;
  ExperienceModel dream(model, tok, nullptr, options);
  begin(dream);
  const Action action = "open desk 1";
  (void)act(dream, action);
  effect = "again";
  (void)act(dream, action);
  EXPECT_EQ(temperatures, (std::vector<double>{0.0, 0.8, 0.0, 0.0}));
}

// One transition: desk 1, opened in an episode that begins with `opening`.
void add_opened_desk(ReplayBuffer& buffer, const std::string& opening) {
  Trajectory story;
  story.episode_id = "e";
  story.task = dream_task();
  story.steps.resize(1);
  story.steps[0].observation.text = opening;
  story.steps[0].action = "open desk 1";
  story.steps[0].next_observation.text = "You open the desk 1. It holds a mug 1.";
  (void)buffer.add(std::span<const Trajectory>(&story, 1));
}

// Says of a first look that it finds nothing; asked again from there on, what the test says, and so what is there.
class FindingDream : public testing::Test {
 protected:
  FindingDream()
      : model_(tok_,
               [this](const GenerationRequest& request) {
                 asked_.push_back(request);
                 const std::string said = tok_->decode(request.context);
                 return encode_script(*tok_,
                                      said.ends_with("<|trace|>")
                                          ? "effect: new; at: desk 1; find: nothing<|observation|>"
                                      : said.ends_with("find: ") ? finds_.at(num_finds_++) + "<|observation|>"
                                                               : contents_.at(num_contents_++) + "<|continue|>");
               }) {}

  StepResult look(ExperienceModel& dream) {
    begin(dream);
    return act(dream, "open desk 1");
  }

  static ExperienceOptions drawing() {
    ExperienceOptions options;
    options.draw_findings = true;
    return options;
  }

  std::shared_ptr<const BpeTokenizer> tok_ = tokenizer();
  std::vector<std::string> finds_, contents_;
  std::size_t num_finds_ = 0, num_contents_ = 0;
  std::vector<GenerationRequest> asked_;
  ScriptedModel model_;
};

TEST_F(FindingDream, DecidesWhatAnUnknownPlaceHasOfTheTask) {
  ExperienceOptions options = drawing();
  options.num_demonstrations = 0;
  ExperienceModel dream(model_, tok_, nullptr, options);
  finds_ = {"spaceship", "mug"};                      // the task names no spaceship
  contents_ = {"A cup 1.", "A mug 1 and a pen 1."};     // the first shows no mug
  const StepResult result = look(dream);
  EXPECT_EQ(result.reasoning_trace, "effect: new; at: desk 1; find: mug");
  EXPECT_EQ(result.observation.text, "A mug 1 and a pen 1.");
  EXPECT_EQ(dream.counters().resampled, 2U);
  EXPECT_EQ(dream.counters().contradictions, 0U);
  ASSERT_EQ(asked_.size(), 5U);
  EXPECT_EQ(asked_[1].temperature, options.hidden_temperature);
  EXPECT_NE(asked_[1].seed, asked_[3].seed) << "what is found and what is there are drawn apart";
}

TEST_F(FindingDream, InventsWithoutDemonstrationsWhereThePlaceIsUnknown) {
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  add_opened_desk(buffer, "You see a desk 1, and a bed 1.");
  ExperienceModel dream(model_, tok_, &buffer, drawing());
  finds_ = {"nothing"};
  contents_ = {"A pen 1."};
  EXPECT_EQ(look(dream).demonstrations.size(), 1U);
  ASSERT_EQ(asked_.size(), 3U);
  const auto shows = [&](std::size_t i) {
    return tok_->decode(asked_[i].context).find("<|demonstration|>") != std::string::npos;
  };
  EXPECT_TRUE(shows(0));
  EXPECT_FALSE(shows(1));
  EXPECT_FALSE(shows(2));
}

TEST_F(FindingDream, SaysWhatTheModelSaidWhereNothingIsDrawn) {
  ExperienceOptions options;
  options.num_demonstrations = 0;
  ExperienceModel dream(model_, tok_, nullptr, options);
  contents_ = {"A pen 1."};
  EXPECT_EQ(look(dream).reasoning_trace, "effect: new; at: desk 1; find: nothing");
  EXPECT_EQ(asked_.size(), 2U);
}

TEST_F(FindingDream, CopiesWhatIsKnownOfThePlace) {
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  add_opened_desk(buffer, "You see a desk 1.");
  ExperienceModel dream(model_, tok_, &buffer, drawing());
  contents_ = {"A pen 1."};
  EXPECT_EQ(look(dream).reasoning_trace, "effect: new; at: desk 1; find: nothing");
  EXPECT_EQ(asked_.size(), 2U) << "nothing is invented";
}

TEST(ExperienceModel, HidesTheSameFromAGroupAndOtherThingsFromOtherTasks) {
  Task task = dream_task();
  const auto seed = [](const Task& of) { return DreamedEpisode::begin(of, 7).world_seed; };
  EXPECT_EQ(seed(task), seed(dream_task()));
  task.instruction = "put a cup in desk";
  EXPECT_NE(seed(task), seed(dream_task()));
  task = dream_task();
  task.settings[task_settings::kFirstObservation] = "You see a bed 1.";
  EXPECT_NE(seed(task), seed(dream_task()));
}

TEST(ExperienceModel, SamplesContentsAgainThatAreElsewhere) {
  const auto tok = tokenizer();
  std::vector<std::string> contents = {"A mug 1.<|continue|>",
                                       "A mug 1.<|continue|>",   // lies in desk 1
                                       "A cup 1 and a cup 1.<|continue|>",
                                       "A cup 1.<|continue|>"};
  std::string at = "desk 1";
  std::size_t given = 0;
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    return encode_script(*tok, request.context.back() == *tok->marker("<|observation|>")
                                   ? contents.at(given++)
                                   : "effect: new; at: " + at + "; hold: nothing<|observation|>");
  });
  ExperienceOptions options;
  options.num_demonstrations = 0;
  options.hold_to_record = false;
  ExperienceModel dream(model, tok, nullptr, options);
  begin(dream);
  Action action = "open desk 1";
  (void)act(dream, action);
  at = "desk 2";
  action = "open desk 2";
  const StepResult result = act(dream, action);
  EXPECT_EQ(result.observation.text, "A cup 1.");
  EXPECT_EQ(dream.counters().resampled, 2U);
  EXPECT_EQ(dream.counters().contradictions, 0U);
}

// Dreams with a model that says `trace` and `observation` of its steps, names the last of any choices and goes on after
// them with `rest`.
class HeldDream : public testing::Test {
 protected:
  HeldDream()
      : tok_(tokenizer()),
        model_(tok_,
               [this](const GenerationRequest& request) {
                 if (request.choices) {
                   const auto paths = all_paths(*request.choices);
                   for (const auto& path : paths) {
                     choices_.push_back(tok_->decode(path));
                   }
                   return paths.back();
                 }
                 const std::string said = tok_->decode(request.context);
                 return encode_script(*tok_,
                                      said.ends_with("<|trace|>")         ? trace_ + "<|observation|>"
                                      : said.ends_with("<|observation|>") ? observation_ + "<|continue|>"
                                                                          : rest_);
               }),
        dream_(model_, tok_, nullptr, options()) {
    begin(dream_);
  }

  StepResult step(const Action& action, const std::string& trace, const std::string& observation) {
    trace_ = trace;
    observation_ = observation;
    return act(dream_, action);
  }

  static ExperienceOptions options() {
    ExperienceOptions out;
    out.num_demonstrations = 0;
    return out;
  }

  std::shared_ptr<const BpeTokenizer> tok_;
  std::string trace_;
  std::string observation_;
  std::string rest_;
  std::vector<std::string> choices_;
  ScriptedModel model_;
  ExperienceModel dream_;
};

TEST_F(HeldDream, GivesAThingThatIsElsewhereAnotherNumber) {
  (void)step("open desk 1", "effect: new; at: desk 1; hold: nothing", "A mug 1 and a cup 1.");
  rest_ = " and a pen 1.<|continue|>";
  const StepResult result = step("open desk 2", "effect: new; at: desk 2; hold: nothing", "A mug 1 and a pen 1.");
  EXPECT_EQ(result.observation.text, "A mug 2 and a pen 1.");
  EXPECT_EQ(dream_.counters().held, 1U);
  EXPECT_EQ(dream_.counters().resampled, 0U);
  EXPECT_EQ(dream_.counters().contradictions, 0U);
}

TEST_F(HeldDream, SaysTheSameWordsWhereNothingHasHappened) {
  (void)step("go to desk 1", "effect: new; at: desk 1; hold: nothing", "A mug 1 and a cup 1.");
  (void)step("go to desk 2", "effect: new; at: desk 2; hold: nothing", "A pen 1.");
  const StepResult result = step("go to desk 1", "effect: again; at: desk 1; hold: nothing", "A mug 1 and a mug 1.");
  EXPECT_EQ(result.observation.text, "A mug 1 and a cup 1.");
  EXPECT_EQ(dream_.counters().held, 1U);
}

TEST_F(HeldDream, SeesNothingAgainThatWasNeverSeen) {
  rest_ = "; at: desk 1; hold: nothing<|observation|>";
  const StepResult result = step("open desk 1", "effect: again; at: desk 1; hold: nothing", "A mug 1.");
  EXPECT_EQ(std::count(choices_.begin(), choices_.end(), "effect: again"), 0);
  EXPECT_EQ(std::count(choices_.begin(), choices_.end(), "effect: new"), 1);
  EXPECT_TRUE(result.reasoning_trace.ends_with("; at: desk 1; hold: nothing")) << result.reasoning_trace;
  EXPECT_FALSE(result.reasoning_trace.starts_with("effect: again")) << result.reasoning_trace;
}

TEST_F(HeldDream, SetsTheContentsAfterAChange) {
  (void)step("open desk 1", "effect: new; at: desk 1; hold: nothing", "A mug 1 and a cup 1.");
  rest_ = "; why: so<|observation|>";
  const StepResult result = step("take mug 1 from desk 1",
                                 "effect: moved; at: desk 1; hold: mug 1; here: mug 1, mug 1",
                                 "You take the mug 1.");
  EXPECT_EQ(result.reasoning_trace, "effect: moved; at: desk 1; hold: mug 1; here: cup 1; why: so");
  EXPECT_EQ(dream_.counters().held, 1U);
}

TEST(ExperienceModel, ForgetsTheOldestStepsOverItsBudget) {
  const auto tok = tokenizer();
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    return encode_script(*tok, request.context.back() == *tok->marker("<|observation|>") ? "Done.<|continue|>"
                                                                                        : "effect: done<|observation|>");
  });
  ExperienceOptions options;
  options.num_demonstrations = 0;
  options.max_history_tokens = 120;
  ExperienceModel dream(model, tok, nullptr, options);
  begin(dream);
  for (int i = 0; i < 12; ++i) {
    (void)act(dream, "wait for " + std::to_string(i));
    EXPECT_LE(model.requests().back().kept_tokens, 120U);
  }
  const std::string seen = tok->decode(model.requests().back().context);
  EXPECT_NE(seen.find("You see a desk 1."), std::string::npos) << "the beginning stays";
  EXPECT_EQ(seen.find("wait for 0<"), std::string::npos);
  EXPECT_NE(seen.find("wait for 10<"), std::string::npos);
}

TEST(ExperienceModel, KeepsTheFirstReplyIfNoneIsBetter) {
  const auto tok = tokenizer();
  std::size_t asked = 0;
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    if (request.context.back() == *tok->marker("<|observation|>")) {
      return encode_script(*tok, "You take it.<|continue|>");
    }
    const std::string held = asked++ == 0 ? "cup 1" : "mug 2";  // neither is the mug 1 of the action
    return encode_script(*tok, "effect: moved; at: desk 1; hold: " + held + "<|observation|>");
  });
  ExperienceOptions options;
  options.num_demonstrations = 0;
  options.consistency_attempts = 3;
  ExperienceModel dream(model, tok, nullptr, options);
  begin(dream);
  const Action action = "take mug 1 from desk 1";
  const StepResult result = act(dream, action);
  EXPECT_EQ(result.reasoning_trace, "effect: moved; at: desk 1; hold: cup 1");
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(dream.counters().contradictions, 1U);
}

TEST(ExperienceModel, ShowsRetrievedTransitionsAndRollsThemBack) {
  const auto tok = tokenizer();
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  add_opened_desk(buffer, "You see a desk 1.");
  ScriptedModel model(tok, [&](const GenerationRequest& request) {
    return encode_script(*tok, request.context.back() == *tok->marker("<|observation|>")
                                   ? "It is empty.<|continue|>"
                                   : "effect: new<|observation|>");
  });
  ExperienceOptions roomy;
  roomy.max_demonstration_tokens = 100;
  ExperienceModel dream(model, tok, &buffer, roomy);
  begin(dream);
  const Action action = "open desk 1";
  const StepResult result = act(dream, action);
  EXPECT_EQ(result.demonstrations.size(), 1U);
  (void)act(dream, action);
  const auto& requests = model.requests();
  EXPECT_NE(tok->decode(requests[0].context).find("It holds a mug 1."), std::string::npos);
  const auto& later = requests[2];
  const std::string kept =
      tok->decode(std::span<const TokenId>(later.context).first(later.kept_tokens));
  EXPECT_EQ(kept,
            "<|dream|><|task|>put a mug in desk<|state|>You see a desk 1."
            "<|action|>open desk 1<|trace|>effect: new<|observation|>It is empty.<|continue|>");
}

// The contract, on a scripted dream whose replies depend on the seed and the context only.
class OwningDream final : public EnvironmentBatch {
 public:
  OwningDream()
      : tokenizer_(tokenizer()),
        model_(tokenizer_,
               [tok = tokenizer_](const GenerationRequest& request) {
                 const bool second = request.context.back() == *tok->marker("<|observation|>");
                 if (!second) {
                   return encode_script(*tok, "effect: new<|observation|>");
                 }
                 const bool long_enough = request.context.size() > 160;
                 return encode_script(*tok,
                                      long_enough ? "The end.<|failure|>"
                                      : request.seed % 2 == 0 ? "It is empty.<|continue|>"
                                                              : "It holds a mug 1.<|continue|>");
               }),
        dream_(model_, tokenizer_, nullptr, options()) {}

  void end_all() override { dream_.end_all(); }
  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override {
    return dream_.start(slots, tasks, seeds);
  }
  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) override {
    return dream_.step(slots, actions);
  }

 private:
  static ExperienceOptions options() {
    ExperienceOptions out;
    out.num_demonstrations = 0;
    return out;
  }
  std::shared_ptr<const BpeTokenizer> tokenizer_;
  ScriptedModel model_;
  ExperienceModel dream_;
};

TEST(ExperienceModel, AnEpisodeThatStartsLaterFindsTheHiddenWorldOfItsSiblings) {
  OwningDream dream;
  const std::vector<Task> tasks(2, dream_task());
  const std::vector<Action> action = {"open desk 1"};
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const std::vector<std::uint64_t> seeds = {seed, seed + 7};
    dream.reset(tasks, seeds);
    const std::vector<std::size_t> first = {0};
    const std::vector<std::size_t> second = {1};
    const auto seen = dream.step(first, action);
    dream.step(second, action);
    // The first one's sibling takes the second place, and the first goes on.
    dream.start(second, std::span(tasks).first(1), std::span(seeds).first(1));
    const auto goes_on = dream.step(first, action);
    EXPECT_EQ(dream.step(second, action)[0].observation, seen[0].observation) << seed;
    EXPECT_EQ(dream.step(second, action)[0].observation, goes_on[0].observation) << seed;
  }
}

EnvironmentContract dream_contract() {
  return {.make = [] { return std::make_unique<BatchedEnvironment>(std::make_unique<OwningDream>()); },
          .tasks = {dream_task()},
          .fallback = {"open desk 1", "go to desk 1", "look"}};
}
DREAMGYM_ENVIRONMENT_CONTRACT(DreamEnvironment, dream_contract());

}  // namespace
}  // namespace dreamgym
