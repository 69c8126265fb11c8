#include "dreamgym/experience/teacher.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/log_explainer.h"
#include "dreamgym/llm/scripted_chat.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Trajectory story(const std::string& id, std::size_t steps) {
  Trajectory trajectory;
  trajectory.episode_id = id;
  trajectory.task.instruction = "close the ticket " + id;
  std::string state = "The list of the tickets.";
  for (std::size_t t = 0; t < steps; ++t) {
    Transition step;
    step.observation.text = state;
    step.action = "open ticket " + std::to_string(t);
    state = "The page of ticket " + std::to_string(t) + " is open.";
    step.next_observation.text = state;
    trajectory.steps.push_back(step);
  }
  if (steps > 0) {
    trajectory.steps.back().terminated = true;
    trajectory.steps.back().reward = 1;
    trajectory.outcome = Outcome::kSuccess;
  }
  return trajectory;
}

Json answer(std::size_t steps, const std::string& plan = "The action opens the page of that ticket") {
  Json list = Json::array();
  for (std::size_t t = 0; t < steps; ++t) {
    list.push_back({{"step_id", t + 1}, {"transition_plan", plan + " " + std::to_string(t) + "."}});
  }
  return {{"task_tutorial", {{"overall_plan", "Open it."}, {"success_mode", "It is open."}, {"failure_mode", "Another is."}}},
          {"state_transitions", list}};
}

// A teacher that says what `say` makes of a good answer.
ScriptedChat teacher(std::function<std::string(Json)> say) {
  return ScriptedChat([say = std::move(say)](const ChatPrompt& prompt) -> Expected<ChatReply, ModelFailure> {
    const std::string& text = prompt.messages[1].content;
    const std::size_t at = text.find("Number of steps: ");
    return ChatReply{.text = say(answer(std::stoul(text.substr(at + 17)))), .prompt_tokens = 100, .completion_tokens = 20};
  });
}

std::string dump(const Json& json) { return json.dump(); }

AnnotationReport annotate(ChatModel& model, std::vector<Trajectory>& stories, const Path& journal = "") {
  SilentProgress progress;
  return annotate_with_teacher(model, stories, LogExplainer(), {.batch = 2}, journal, progress);
}

TEST(AnnotationPrompt, ShowsTaskOutcomeAndEveryStep) {
  TeacherOptions options;
  options.domain = "a ticket desk";
  options.max_observation_bytes = 24;
  Trajectory asked = story("7", 2);
  asked.steps[1].next_observation.text = std::string(500, 'x');
  const ChatPrompt prompt = annotation_prompt(asked, options);
  const std::string& text = prompt.messages[1].content;
  for (const char* part : {"a ticket desk", "Task: close the ticket 7", "Outcome: success", "Step 2", "open ticket 1", "Reward: 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find(std::string(100, 'x')), std::string::npos) << "long observations are cut";
  EXPECT_GE(prompt.max_tokens, 2 * options.reply_tokens_per_step);
  EXPECT_TRUE(Json::parse(prompt.json_schema).is_object());
}

TEST(ReadAnnotation, RefusesWhatCantBeUsedAndSaysWhy) {
  const Trajectory asked = story("7", 4);
  const auto reason = [&](const Json& json) {
    const auto read = read_annotation(json, asked, {});
    return read ? std::string("accepted") : read.error();
  };
  EXPECT_EQ(reason(answer(4)), "accepted");
  EXPECT_EQ(reason(answer(3)), "state_transitions has 3 entries, the episode has 4 steps");
  EXPECT_EQ(reason(answer(5)), "state_transitions has 5 entries, the episode has 4 steps");
  Json json = answer(4);
  json["state_transitions"][2]["step_id"] = 2;
  EXPECT_EQ(reason(json), "state_transitions[2].step_id is not 3");
  json = answer(4);
  json["state_transitions"][1]["transition_plan"] = "  ";
  EXPECT_EQ(reason(json), "state_transitions[1].transition_plan is missing or empty");
  json = answer(4);
  json["state_transitions"][1]["transition_plan"] = std::string(700, 'a');
  EXPECT_EQ(reason(json), "state_transitions[1].transition_plan has 700 bytes, at most 600");
  json = answer(4);
  for (Json& entry : json["state_transitions"]) {
    entry["transition_plan"] = "The state changes.";
  }
  EXPECT_EQ(reason(json), "every transition_plan says the same");
  json = answer(4);
  json["task_tutorial"].erase("failure_mode");
  EXPECT_EQ(reason(json), "task_tutorial.failure_mode is missing or empty");
  EXPECT_EQ(reason(Json::object()), "task_tutorial is missing");
  EXPECT_EQ(reason({{"task_tutorial", Json::object()}, {"state_transitions", "all fine"}}), "state_transitions is missing");
  EXPECT_EQ(reason(answer(4, "动作打开了工单的页面")),
            "the plans are in another language: it is written in Chinese or Japanese letters, expected Latin");
}

TEST(AnnotateWithTeacher, PutsPlansBehindTheFieldsThatTheDreamReads) {
  ScriptedChat model = teacher(dump);
  std::vector<Trajectory> stories = {story("7", 3), story("8", 1)};
  const auto report = annotate(model, stories);
  EXPECT_EQ(report.annotated, 2U);
  EXPECT_EQ(report.steps, 4U);
  EXPECT_EQ(report.replies.completion_tokens, 40U);
  const auto trace = parse_reasoning_trace(stories[0].steps[2].reasoning_trace);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->find("effect"), "new");
  EXPECT_EQ(trace->find("why"), "The action opens the page of that ticket 2.");
  EXPECT_TRUE(wanted_is_reached(*trace)) << "what LogExplainer says of the end is kept";
}

TEST(AnnotateWithTeacher, NamesWhatItRejectsAndLeavesItAsItWas) {
  ScriptedChat model = teacher([](Json json) {
    json["state_transitions"].erase(0);
    return json.dump();
  });
  Trajectory gap = story("9", 3);
  gap.steps[2].observation.text = "Somewhere else.";
  std::vector<Trajectory> stories = {story("7", 2), gap, story("10", 0)};
  const auto before = stories;
  const auto report = annotate(model, stories);
  EXPECT_EQ(report.annotated, 0U);
  EXPECT_EQ(report.with_gaps, 2U);
  EXPECT_EQ(report.replies.asked, 1U) << "what has a gap is never asked about";
  EXPECT_EQ(report.rejected,
            (std::vector<std::string>{"7: state_transitions has 1 entries, the episode has 2 steps",
                                      "9: step 3 does not begin where step 2 ended: a gap",
                                      "10: it has no steps"}));
  EXPECT_EQ(stories, before);
}

TEST(AnnotateWithTeacher, GoesOnWhereItWasInterrupted) {
  const TemporaryFolder folder;
  const Path journal = folder.path() / "teacher.jsonl";
  std::size_t asked = 0;
  ScriptedChat dies([&](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    if (++asked > 2) {
      throw Error(ErrorKind::kIo, "the power went out");
    }
    return ChatReply{.text = answer(2).dump()};
  });
  std::vector<Trajectory> stories = {story("1", 2), story("2", 2), story("3", 2), story("4", 2)};
  EXPECT_THROW((void)annotate(dies, stories, journal), Error);

  ScriptedChat lives = teacher(dump);
  std::vector<Trajectory> again = {story("1", 2), story("2", 2), story("3", 2), story("4", 2)};
  const auto report = annotate(lives, again, journal);
  EXPECT_EQ(report.cached, 2U);
  EXPECT_EQ(lives.prompts().size(), 2U);
  EXPECT_EQ(report.annotated, 4U);

  ScriptedChat silent([](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    return Unexpected<ModelFailure>({ModelFailure::Kind::kUnavailable, "down"});
  });
  std::vector<Trajectory> third = {story("1", 2), story("2", 2), story("3", 2), story("4", 2)};
  EXPECT_EQ(annotate(silent, third, journal).cached, 4U);
  EXPECT_EQ(third, again) << "the journal says the same as the teacher";

  std::vector<Trajectory> changed = {story("1", 3)};
  EXPECT_EQ(annotate(silent, changed, journal).cached, 0U) << "another question";
}

TEST(AnnotateWithTeacher, GivesUpOnAServerThatAnswersNothing) {
  ScriptedChat silent([](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    return Unexpected<ModelFailure>({ModelFailure::Kind::kUnavailable, "connection refused"});
  });
  std::vector<Trajectory> stories = {story("1", 2), story("2", 2), story("3", 2), story("4", 2), story("5", 2)};
  try {
    (void)annotate(silent, stories);
    FAIL() << "three episodes were still to be asked about";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none of 2 questions"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("connection refused"), std::string::npos) << error.what();
  }
  EXPECT_EQ(silent.prompts().size(), 2U);
}

TEST(AnnotateWithTeacher, RefusesAJournalThatIsNone) {
  const TemporaryFolder folder;
  const Path journal = folder.path() / "teacher.jsonl";
  write_file(journal, "{\"version\":1,\"key\":\"a\"}\nno journal\n");
  ScriptedChat model = teacher(dump);
  std::vector<Trajectory> stories = {story("7", 2)};
  try {
    (void)annotate(model, stories, journal);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_NE(std::string(error.what()).find("teacher.jsonl:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dreamgym
