#include "dreamgym/experience/prompted_experience.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/env/recording.h"
#include "dreamgym/llm/grammar/byte_automaton.h"
#include "dreamgym/llm/grammar/json_schema.h"
#include "dreamgym/llm/scripted_chat.h"
#include "tests/contract/environment_contract.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Task desk_task() {
  Task task;
  task.id = "t";
  task.world = "desk";
  task.instruction = "close ticket 3";
  task.settings[task_settings::kFirstObservation] = "There is ticket 3 (open).";
  return task;
}

Json step(const std::string& state, const std::string& effect = "done") {
  return {{"why", "Because."}, {"effect", effect},       {"at", ""},       {"hold", "nothing"}, {"here", ""},
          {"wanted", "ticket 3 closed"}, {"reached", "not yet"}, {"next_state", state}, {"done", false},
          {"success", false}};
}

Json success(const std::string& reached) {
  Json json = step("Ticket 3 is closed.");
  json["reached"] = reached;
  json["done"] = json["success"] = true;
  return json;
}

ScriptedChat saying(const Json& json) {
  return ScriptedChat([json](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> { return ChatReply{.text = json.dump()}; });
}

PromptedOptions without_retrieval() { return {.num_demonstrations = 0}; }

StepResult act(PromptedExperience& dream, const Action& action) {
  const std::size_t slot = 0;
  return dream.step(std::span(&slot, 1), std::span(&action, 1)).front();
}

void begin(PromptedExperience& dream) {
  const Task task = desk_task();
  const std::uint64_t seed = 1;
  (void)dream.reset(std::span(&task, 1), std::span(&seed, 1));
}

TEST(PromptedExperience, ShowsRulesTaskHistoryAndAction) {
  ScriptedChat model = saying(step("Ticket 3: low, open."));
  PromptedOptions options = without_retrieval();
  options.domain = "a ticket desk";
  PromptedExperience dream(model, nullptr, options);
  begin(dream);
  EXPECT_EQ(act(dream, "open ticket 3").observation.text, "Ticket 3: low, open.");
  const StepResult second = act(dream, "set status closed");
  EXPECT_EQ(second.reward, 0);
  EXPECT_FALSE(second.terminated);
  ASSERT_EQ(model.prompts().size(), 2U);
  EXPECT_NE(model.prompts()[0].messages[0].content.find("a ticket desk"), std::string::npos);
  EXPECT_EQ(model.prompts()[0].messages[0], model.prompts()[1].messages[0]) << "a prefix cache keeps the rules";
  const std::string& text = model.prompts()[1].messages[1].content;
  for (const char* part : {"Task: close ticket 3", "There is ticket 3 (open).", "Action: open ticket 3",
                           "State: Ticket 3: low, open.", "The agent's action: set status closed"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(Json::parse(model.prompts()[0].json_schema)["properties"].contains("effect"));
}

TEST(PromptedExperience, BoundsItsTextsForAModelThatIsHeldToThem) {
  ScriptedChat model = saying(step("Ticket 3: low, open."));
  PromptedOptions options = without_retrieval();
  options.max_field_characters = 8;
  options.max_state_characters = 20;
  PromptedExperience dream(model, nullptr, options);
  begin(dream);
  (void)act(dream, "open ticket 3");
  ByteAutomaton automaton(*json_schema_pattern(model.prompts()[0].json_schema, "step"));
  const auto may_be = [&](const std::string& why, const std::string& state, bool done, bool success) {
    const std::string text = fmt::format(
        R"({{"why":"{}","effect":"new","at":"","hold":"","here":"","wanted":"","reached":"","next_state":"{}","done":{},"success":{}}})",
        why, state, done, success);
    const auto end = automaton.next(automaton.start(), text);
    return end != ByteAutomaton::kDead && automaton.accepts(end);
  };
  EXPECT_TRUE(may_be("Because.", "Ticket 3: low, open.", false, false));
  EXPECT_TRUE(may_be("", "It.", true, true));
  EXPECT_TRUE(may_be("", "It.", true, false));
  EXPECT_FALSE(may_be("", "It.", false, true)) << "no success before the end";
  EXPECT_FALSE(may_be("Because..", "It.", false, false));
  EXPECT_FALSE(may_be("", "", false, false)) << "a state has a text";
}

TEST(PromptedExperience, AcceptsASuccessOnlyIfWantedIsReached) {
  ScriptedChat honest = saying(success("ticket 3 closed"));
  PromptedExperience accepting(honest, nullptr, without_retrieval());
  begin(accepting);
  const StepResult won = act(accepting, "set status closed");
  EXPECT_EQ(won.reward, 1);
  EXPECT_TRUE(won.terminated);
  EXPECT_TRUE(wanted_is_reached(*parse_reasoning_trace(won.reasoning_trace)));

  ScriptedChat optimist = saying(success("ticket 4 closed"));
  PromptedExperience refusing(optimist, nullptr, without_retrieval());
  begin(refusing);
  const StepResult refused = act(refusing, "set status closed");
  EXPECT_EQ(refused.reward, 0);
  EXPECT_FALSE(refused.terminated);
  EXPECT_EQ(refusing.counters().refused_successes, 1U);
}

TEST(PromptedExperience, EndsAnEpisodeThatNobodyAnswersWithoutAReward) {
  for (const bool away : {true, false}) {
    ScriptedChat model([&](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
      if (away) {
        return Unexpected<ModelFailure>({ModelFailure::Kind::kUnavailable, "no connection"});
      }
      return ChatReply{.text = "The drawer is a lovely drawer."};
    });
    PromptedExperience dream(model, nullptr, without_retrieval());
    begin(dream);
    const StepResult result = act(dream, "open ticket 3");
    EXPECT_TRUE(result.truncated);
    EXPECT_FALSE(result.terminated);
    EXPECT_EQ(outcome_of_last(to_transition({}, "open ticket 3", result)), Outcome::kInfrastructureError);
    EXPECT_EQ(dream.counters().infrastructure_errors, 1U);
    EXPECT_EQ(model.prompts().size(), away ? 1U : 2U) << "one repair at most";
  }
}

TEST(PromptedExperience, RepairsWhatIsNotOfTheForm) {
  for (const auto& [change, reason] : std::vector<std::pair<std::function<void(Json&)>, std::string>>{
           {[](Json& j) { j.erase("next_state"); }, "\"next_state\" is missing or empty"},
           {[](Json& j) { j["effect"] = "explosion"; }, "\"effect\" is \"explosion\""},
           {[](Json& j) { j["done"] = "no"; }, "\"done\" is not true or false"},
           {[](Json& j) { j["success"] = true; }, "\"success\" is true and \"done\" is false"},
           {[](Json& j) { j["at"] = 7; }, "\"at\" is no text"}}) {
    ScriptedChat model([&change](const ChatPrompt& prompt) -> Expected<ChatReply, ModelFailure> {
      Json json = step("Fine.");
      if (prompt.messages.size() == 2) {
        change(json);
      }
      return ChatReply{.text = json.dump()};
    });
    PromptedExperience dream(model, nullptr, without_retrieval());
    begin(dream);
    EXPECT_EQ(act(dream, "list").observation.text, "Fine.");
    EXPECT_EQ(dream.counters().replies.repaired, 1U);
    EXPECT_NE(model.prompts()[1].messages[3].content.find(reason), std::string::npos)
        << model.prompts()[1].messages[3].content;
  }
}

TEST(PromptedExperience, AsksAgainWhenTheAnswerContradictsWhatWasShown) {
  std::size_t asked = 0;
  ScriptedChat model([&](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    Json json = step("You see a mug 1.", "new");
    json["at"] = asked == 0 ? "desk 1" : "desk 2";
    json["next_state"] = asked < 2 ? "You see a mug 1." : "You see a cup 2.";  // mug 1 lies in desk 1
    ++asked;
    return ChatReply{.text = json.dump()};
  });
  PromptedExperience dream(model, nullptr, without_retrieval());
  begin(dream);
  (void)act(dream, "open desk 1");
  EXPECT_EQ(act(dream, "open desk 2").observation.text, "You see a cup 2.");
  EXPECT_EQ(dream.counters().asked_again, 1U);
  EXPECT_EQ(dream.counters().contradictions, 0U);
}

TEST(PromptedExperience, ShowsSimilarTransitionsAndNamesThem) {
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  Trajectory story;
  story.episode_id = "e";
  story.task = desk_task();
  story.steps.resize(2);
  story.steps[0].observation.text = "There is ticket 3 (open).";
  story.steps[0].action = "open ticket 3";
  story.steps[0].next_observation.text = "Ticket 3: urgent, open, owner 2.";
  story.steps[1].observation.text = "Zzz.";
  story.steps[1].action = "qqq";
  story.steps[1].next_observation.text = "Unlike everything.";
  (void)buffer.add(std::span<const Trajectory>(&story, 1));
  ScriptedChat model = saying(step("Ticket 3: low, open."));
  PromptedExperience dream(model, &buffer, {.num_demonstrations = 2});
  begin(dream);
  const StepResult result = act(dream, "open ticket 3");
  EXPECT_EQ(result.demonstrations.size(), 1U) << "what is too unlike is not shown";
  EXPECT_NE(model.prompts()[0].messages[1].content.find("urgent, open, owner 2"), std::string::npos);
}

TEST(PromptedExperience, ForgetsTheOldestStepsBeyondItsBudget) {
  ScriptedChat model = saying(step("Some line of the tool."));
  PromptedOptions options = without_retrieval();
  options.num_recollections = 0;
  options.history_bytes = 100;
  PromptedExperience dream(model, nullptr, options);
  begin(dream);
  for (int i = 0; i < 6; ++i) {
    (void)act(dream, fmt::format("action number {}", i));
  }
  const std::string& text = model.prompts().back().messages[1].content;
  EXPECT_NE(text.find("(4 earlier steps are left out)"), std::string::npos) << text;
  EXPECT_EQ(text.find("action number 2"), std::string::npos);
  EXPECT_NE(text.find("action number 4"), std::string::npos);
}

TEST(PromptedExperience, AsksForNoReasoningWhereThatIsSwitchedOff) {
  Json json = {{"next_state", "Ticket 3 is closed."}, {"done", true}, {"success", true}};
  ScriptedChat model = saying(json);
  PromptedOptions options = without_retrieval();
  options.reasoning = false;
  options.verify_success = false;
  PromptedExperience dream(model, nullptr, options);
  begin(dream);
  EXPECT_EQ(act(dream, "close").reward, 1);
  EXPECT_FALSE(Json::parse(model.prompts()[0].json_schema)["properties"].contains("effect"));
  EXPECT_EQ(model.prompts()[0].messages[0].content.find("\"effect\""), std::string::npos);
}

}  // namespace
}  // namespace dreamgym
