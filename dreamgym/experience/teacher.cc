#include "dreamgym/experience/teacher.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/answer_journal.h"
#include "dreamgym/experience/text_language.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr int kJournalVersion = 1;
constexpr std::size_t kTutorialTokens = 300;
constexpr std::size_t kStepsToCompare = 3;  // fewer may well be explained alike

constexpr const char* kRules =
    "You know the environment below well. A model is going to simulate it; you explain to that model how and why "
    "the environment's state changes. You are given one episode: the task, whether it succeeded, and its steps.\n"
    "Answer with one JSON object and nothing else, in the language of the episode:\n"
    "{\"task_tutorial\": {\"overall_plan\": \"...\", \"success_mode\": \"...\", \"failure_mode\": \"...\"},\n"
    " \"state_transitions\": [{\"step_id\": 1, \"transition_plan\": \"...\"}, ...]}\n"
    "- task_tutorial: one sentence each: how such a task is done, what makes it succeed, what makes it fail.\n"
    "- state_transitions: exactly one entry for every step, in order, step_id from 1. Its transition_plan says in at "
    "most three sentences what the action does in this state given what happened before, whether it can work, and "
    "what the environment must show next. Speak of causes; don't repeat the next state word for word.";

constexpr const char* kSchema = R"json({
  "type": "object",
  "properties": {
    "task_tutorial": {
      "type": "object",
      "properties": {"overall_plan": {"type": "string"}, "success_mode": {"type": "string"}, "failure_mode": {"type": "string"}},
      "required": ["overall_plan", "success_mode", "failure_mode"],
      "additionalProperties": false
    },
    "state_transitions": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"step_id": {"type": "integer"}, "transition_plan": {"type": "string"}},
        "required": ["step_id", "transition_plan"],
        "additionalProperties": false
      }
    }
  },
  "required": ["task_tutorial", "state_transitions"],
  "additionalProperties": false
})json";

Unexpected<std::string> wrong(std::string reason) { return Unexpected<std::string>(std::move(reason)); }

// A text of the object that is not blank.
std::optional<std::string> text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return std::nullopt;
  }
  std::string text(trim(found->get<std::string>()));
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// What the episode says, for the comparison of languages.
std::string episode_text(const Trajectory& trajectory) {
  std::string text = trajectory.task.instruction;
  for (const Transition& step : trajectory.steps) {
    text += ' ' + step.action + ' ' + step.next_observation.text;
  }
  return text;
}

Expected<std::vector<std::string>, std::string> read_plans(const Json& list,
                                                           std::size_t num_steps,
                                                           std::size_t max_plan_bytes) {
  if (list.size() != num_steps) {
    return wrong(fmt::format("state_transitions has {} entries, the episode has {} steps", list.size(), num_steps));
  }
  std::vector<std::string> plans;
  for (std::size_t t = 0; t < num_steps; ++t) {
    const Json& entry = list[t];
    const std::string where = fmt::format("state_transitions[{}]", t);
    if (!entry.is_object() || !entry.contains("step_id") || entry["step_id"] != t + 1) {
      return wrong(fmt::format("{}.step_id is not {}", where, t + 1));
    }
    auto plan = text_in(entry, "transition_plan");
    if (!plan) {
      return wrong(where + ".transition_plan is missing or empty");
    }
    if (plan->size() > max_plan_bytes) {
      return wrong(fmt::format("{}.transition_plan has {} bytes, at most {}", where, plan->size(), max_plan_bytes));
    }
    plans.push_back(*std::move(plan));
  }
  const bool all_alike = std::set<std::string>(plans.begin(), plans.end()).size() == 1;
  if (num_steps > kStepsToCompare && all_alike) {
    return wrong("every transition_plan says the same");
  }
  return plans;
}

Json to_json(const TransitionPlans& plans) {
  Json list = Json::array();
  for (std::size_t t = 0; t < plans.plans.size(); ++t) {
    list.push_back({{"step_id", t + 1}, {"transition_plan", plans.plans[t]}});
  }
  return {{"task_tutorial",
           {{"overall_plan", plans.overall_plan},
            {"success_mode", plans.success_mode},
            {"failure_mode", plans.failure_mode}}},
          {"state_transitions", list}};
}

void put_traces(const TransitionPlans& plans,
                const Explainer& explainer,
                TraceForm form,
                Trajectory& story) {
  if (form == TraceForm::kFieldsAndPlan) {
    explainer.explain(story);
  }
  for (std::size_t t = 0; t < story.steps.size(); ++t) {
    std::string& trace = story.steps[t].reasoning_trace;
    if (form == TraceForm::kPlan) {
      trace = plans.plans[t];
      continue;
    }
    auto fields = parse_reasoning_trace(trace);
    check(fields.has_value(), "an explainer's trace can be read");
    fields->add("why", plans.plans[t]);
    trace = to_text(*fields);
  }
}

// Questions before it is known that anybody answers.
constexpr std::size_t kFirstBatch = 4;

// The work of annotate_with_teacher.
class Annotation {
 public:
  Annotation(ChatModel& teacher,
             std::span<Trajectory> stories,
             const Explainer& explainer,
             const TeacherOptions& options,
             const Path& journal)
      : teacher_(teacher),
        stories_(stories),
        explainer_(explainer),
        options_(options),
        journal_(journal, "annotation", kJournalVersion, "an annotation journal"),
        annotated_(stories.size(), false),
        reasons_(stories.size()) {}

  AnnotationReport run(ProgressSink& progress) {
    progress.begin("annotate", stories_.size(), "episodes");
    answer_from_journal(progress);
    // A few first: a server that is not there is not asked about everything.
    std::size_t size = std::min(kFirstBatch, options_.batch);
    for (std::size_t begin = 0; begin < questions_.size(); begin += std::exchange(size, options_.batch)) {
      const std::size_t end = std::min(begin + size, questions_.size());
      const std::size_t unanswered = report_.replies.unavailable;
      ask(begin, end);
      if (end < questions_.size() && report_.replies.unavailable == unanswered + (end - begin)) {
        throw Error(ErrorKind::kIo,
                    fmt::format("the teacher answered none of {} questions in a row: {}",
                                end - begin,
                                reasons_[questions_[begin].story]),
                    "see to the server and run the same command again: what the journal has is not asked for again");
      }
      progress.advance(done_, fmt::format("{} annotated, {} tokens", report_.annotated, report_.replies.completion_tokens));
    }
    for (std::size_t i = 0; i < stories_.size(); ++i) {
      if (!reasons_[i].empty()) {
        report_.rejected.push_back(stories_[i].episode_id + ": " + reasons_[i]);
      }
    }
    progress.end(fmt::format("{} annotated, {} without annotation", report_.annotated, report_.rejected.size()));
    return report_;
  }

  [[nodiscard]] const std::vector<bool>& annotated() const { return annotated_; }

 private:
  struct Question {
    std::size_t story;
    std::string key;
    ChatPrompt prompt;
  };

  void answer_from_journal(ProgressSink& progress) {
    for (std::size_t i = 0; i < stories_.size(); ++i) {
      if (auto gap = gap_of(stories_[i])) {
        ++report_.with_gaps;
        ++done_;
        reasons_[i] = *std::move(gap);
        continue;
      }
      ChatPrompt prompt = annotation_prompt(stories_[i], options_);
      std::string key = question_key(teacher_, prompt);
      const Json* known = journal_.find(key);
      const auto plans = known == nullptr
                             ? Expected<TransitionPlans, std::string>(Unexpected<std::string>(""))
                             : read_annotation(*known, stories_[i], options_);
      if (plans) {
        ++report_.cached;
        accept(i, *plans);
      } else {
        questions_.push_back({i, std::move(key), std::move(prompt)});
      }
    }
    progress.resume(done_);
  }

  void ask(std::size_t begin, std::size_t end) {
    std::vector<ChatPrompt> prompts;
    for (std::size_t q = begin; q < end; ++q) {
      prompts.push_back(questions_[q].prompt);
    }
    const auto story_of = [&](std::size_t index) -> const Trajectory& {
      return stories_[questions_[begin + index].story];
    };
    const auto replies = ask_json(
        teacher_,
        prompts,
        [&](std::size_t index, const Json& json) -> std::optional<std::string> {
          const auto plans = read_annotation(json, story_of(index), options_);
          return plans ? std::nullopt : std::optional(plans.error());
        },
        report_.replies);
    for (std::size_t j = 0; j < replies.size(); ++j) {
      const Question& question = questions_[begin + j];
      if (!replies[j]) {
        ++done_;
        reasons_[question.story] = replies[j].error().reason;
        write(question, {{"rejected", replies[j].error().reason}});
        continue;
      }
      const auto plans = read_annotation(replies[j]->json, stories_[question.story], options_);
      write(question, {{"annotation", to_json(*plans)}});
      accept(question.story, *plans);
    }
    journal_.sync();
  }

  void accept(std::size_t i, const TransitionPlans& plans) {
    put_traces(plans, explainer_, options_.form, stories_[i]);
    annotated_[i] = true;
    ++report_.annotated;
    ++done_;
    report_.steps += plans.plans.size();
  }

  void write(const Question& question, Json what) {
    what["teacher"] = teacher_.version();
    what["episode_id"] = stories_[question.story].episode_id;
    journal_.write(question.key, std::move(what));
  }

  ChatModel& teacher_;
  std::span<Trajectory> stories_;
  const Explainer& explainer_;
  const TeacherOptions& options_;
  AnswerJournal journal_;
  std::vector<Question> questions_;
  AnnotationReport report_;
  std::size_t done_ = 0;
  std::vector<bool> annotated_;       // [stories]
  std::vector<std::string> reasons_;  // [stories]; "" = annotated
};

}  // namespace

ChatPrompt annotation_prompt(const Trajectory& trajectory, const TeacherOptions& options) {
  const auto shown = [&](const std::string& text) { return shorten(text, options.max_observation_bytes); };
  std::string episode;
  if (!options.domain.empty()) {
    episode += "The environment: " + options.domain + "\n\n";
  }
  episode += fmt::format("Task: {}\nOutcome: {}\nNumber of steps: {}\n\nState 0: {}\n",
                         trajectory.task.instruction,
                         trajectory.success() ? "success" : "failure",
                         trajectory.steps.size(),
                         trajectory.steps.empty() ? "" : shown(trajectory.steps.front().observation.text));
  for (std::size_t t = 0; t < trajectory.steps.size(); ++t) {
    const Transition& step = trajectory.steps[t];
    episode += fmt::format("\nStep {}\nAction: {}\n{}State {}: {}\n",
                           t + 1,
                           step.action,
                           step.reward != 0 ? fmt::format("Reward: {:g}\n", step.reward) : "",
                           t + 1,
                           shown(step.next_observation.text));
  }
  ChatPrompt prompt;
  prompt.messages = {{"system", kRules}, {"user", std::move(episode)}};
  prompt.temperature = options.temperature;
  prompt.max_tokens = kTutorialTokens + options.reply_tokens_per_step * trajectory.steps.size();
  prompt.schema_name = "annotation";
  prompt.json_schema = kSchema;
  return prompt;
}

Expected<TransitionPlans, std::string> read_annotation(const Json& json,
                                                       const Trajectory& trajectory,
                                                       const TeacherOptions& options) {
  const auto tutorial = json.find("task_tutorial");
  const auto list = json.find("state_transitions");
  if (tutorial == json.end() || !tutorial->is_object()) {
    return wrong("task_tutorial is missing");
  }
  if (list == json.end() || !list->is_array()) {
    return wrong("state_transitions is missing");
  }
  TransitionPlans read;
  for (const auto& [key, part] : {std::pair("overall_plan", &read.overall_plan),
                                  std::pair("success_mode", &read.success_mode),
                                  std::pair("failure_mode", &read.failure_mode)}) {
    auto text = text_in(*tutorial, key);
    if (!text) {
      return wrong(fmt::format("task_tutorial.{} is missing or empty", key));
    }
    *part = *std::move(text);
  }
  auto plans = read_plans(*list, trajectory.steps.size(), options.max_plan_bytes);
  if (!plans) {
    return wrong(plans.error());
  }
  read.plans = std::move(*plans);
  if (const auto difference = language_difference(episode_text(trajectory), join(read.plans, " "))) {
    return wrong("the plans are in another language: " + *difference);
  }
  return read;
}

std::optional<std::string> gap_of(const Trajectory& trajectory) {
  if (trajectory.steps.empty()) {
    return "it has no steps";
  }
  for (std::size_t t = 1; t < trajectory.steps.size(); ++t) {
    if (trajectory.steps[t].observation.text != trajectory.steps[t - 1].next_observation.text) {
      return fmt::format("step {} does not begin where step {} ended: a gap", t + 1, t);
    }
  }
  return std::nullopt;
}

AnnotationReport annotate_with_teacher(ChatModel& teacher,
                                       std::span<Trajectory> stories,
                                       const Explainer& explainer,
                                       const TeacherOptions& options,
                                       const Path& journal,
                                       ProgressSink& progress,
                                       std::vector<bool>* annotated) {
  check(options.batch > 0, "a batch of trajectories is not empty");
  Annotation annotation(teacher, stories, explainer, options, journal);
  AnnotationReport report = annotation.run(progress);
  if (annotated != nullptr) {
    *annotated = annotation.annotated();
  }
  return report;
}

}  // namespace dreamgym
