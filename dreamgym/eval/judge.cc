#include "dreamgym/eval/judge.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/base/word_marks.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/answer_journal.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;
using Words = std::set<std::string>;

constexpr int kJournalVersion = 1;
constexpr std::size_t kBatch = 32;           // steps asked about before answers are written down
constexpr std::size_t kShownSteps = 6;       // of the episode before the step
constexpr std::size_t kShownBytes = 2000;    // of a state
constexpr std::size_t kReplyTokens = 300;
constexpr std::string_view kMarks = ".,;:!?\"'()[]";

constexpr double kAlike = 0.6;
constexpr double kSubstantialChange = 0.3;
constexpr double kWhole = 0.9;
constexpr double kSparse = 0.4;

constexpr const char* kRubric =
    "You judge a simulated tool. You see the task of an agent, what happened before, the state before an action, the "
    "action, and the state that the simulator says follows. Score the transition on four criteria, 0, 1 or 2 each:\n"
    "- consistency (causal consistency of the state): 2 the new state follows from the action and all that happened, "
    "with every expected change; 1 small gaps; 0 incoherent or unrelated to the action.\n"
    "- diversity (variation of the state): 2 a substantial and coherent change; 1 a minimal one; 0 none, or an "
    "incoherent jump.\n"
    "- informativeness: 2 detailed, relevant and consistent in itself; 1 sparse; 0 empty or irrelevant.\n"
    "- hallucination (and failure feedback): 2 success or failure of the action is properly shown and nothing is made "
    "up against what is known; 1 partly; 0 a success that is not earned, or a failure that is ignored.\n"
    "Answer with one JSON object and nothing else: {\"reason\": one sentence, \"consistency\": n, \"diversity\": n, "
    "\"informativeness\": n, \"hallucination\": n}";

Words words_of(std::string_view text) {
  const auto list = lower_words_without_marks(text, kMarks);
  return {list.begin(), list.end()};
}

double common(const Words& a, const Words& b) {
  return static_cast<double>(
      std::ranges::count_if(a, [&](const std::string& word) { return b.contains(word); }));
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1.0; }

std::string schema() {
  Json properties = {{"reason", {{"type", "string"}}}};
  Json required = {"reason"};
  for (const char* criterion : kCriteria) {
    properties[criterion] = {{"type", "integer"}, {"enum", {0, 1, 2}}};
    required.push_back(criterion);
  }
  return Json{{"type", "object"},
              {"properties", properties},
              {"required", required},
              {"additionalProperties", false}}
      .dump();
}

std::string end_text(bool terminated, double reward) {
  return !terminated ? "" : reward >= 1 ? "\n(The episode ends: success.)" : "\n(The episode ends: failure.)";
}

}  // namespace

JudgeScores judge_against_truth(const Transition& dreamed, const StepResult& truth) {
  const Words before = words_of(dreamed.observation.text);
  const Words said = words_of(dreamed.next_observation.text);
  const Words real = words_of(truth.observation.text);
  const double recall = ratio(common(said, real), static_cast<double>(real.size()));
  const double precision = ratio(common(said, real), static_cast<double>(said.size()));
  const double f1 = recall + precision > 0 ? 2 * recall * precision / (recall + precision) : 0;
  const bool same_text = dreamed.next_observation.text == truth.observation.text;
  const bool right_end = dreamed.terminated == truth.terminated;
  const bool said_success = dreamed.terminated && dreamed.reward >= 1;
  const bool is_success = truth.terminated && truth.reward >= 1;
  const double all = static_cast<double>(before.size() + said.size()) - common(before, said);
  const double change = 1 - ratio(common(before, said), all);

  JudgeScores out;
  const int consistency = same_text && right_end ? 2 : f1 >= kAlike && right_end ? 1 : 0;
  const int diversity = consistency == 0 || change <= 0 ? 0 : change >= kSubstantialChange ? 2 : 1;
  const int informativeness = said.empty() ? 0 : recall >= kWhole ? 2 : recall >= kSparse ? 1 : 0;
  const auto trace = parse_reasoning_trace(dreamed.reasoning_trace);
  const bool said_invalid = !dreamed.action_valid || (trace && trace->find("effect") == effects::kInvalid);
  const bool ignored_failure = !truth.action_valid && !said_invalid && f1 < kAlike;
  const int hallucination =
      said_success != is_success || ignored_failure ? 0 : precision >= kWhole || said.empty() ? 2 : 1;
  out.scores = {consistency, diversity, informativeness, hallucination};
  out.reason = fmt::format("words of the truth {:.2f}, own words borne out {:.2f}, changed {:.2f}{}{}",
                           recall,
                           precision,
                           change,
                           said_success != is_success ? "; success is wrong" : "",
                           ignored_failure ? "; an impossible action seems to work" : "");
  return out;
}

ChatPrompt judge_prompt(const Trajectory& story, std::size_t t, const std::string& domain) {
  check(t < story.steps.size(), "a step of the episode");
  const auto shown = [](const std::string& text) { return shorten(text, kShownBytes); };
  std::string text = domain.empty() ? "" : "The tool: " + domain + "\n\n";
  text += fmt::format("Task: {}\n", story.task.instruction);
  const std::size_t first = t > kShownSteps ? t - kShownSteps : 0;
  if (first > 0) {
    text += fmt::format("\n({} earlier steps are left out)\n", first);
  }
  for (std::size_t i = first; i < t; ++i) {
    text += fmt::format("\nState: {}\nAction: {}\n", shown(story.steps[i].observation.text), story.steps[i].action);
  }
  const Transition& step = story.steps[t];
  text += fmt::format("\nState before: {}\nThe agent's action: {}\nState that follows: {}{}\n",
                      shown(step.observation.text),
                      step.action,
                      shown(step.next_observation.text),
                      end_text(step.terminated, step.reward));
  ChatPrompt prompt;
  prompt.messages = {{"system", fmt::format("{}\n(Rubric: {})", kRubric, kRubricVersion)}, {"user", std::move(text)}};
  prompt.max_tokens = kReplyTokens;
  prompt.schema_name = "judgement";
  prompt.json_schema = schema();
  return prompt;
}

Expected<JudgeScores, std::string> read_judgement(const Json& json) {
  JudgeScores out;
  for (std::size_t c = 0; c < kNumCriteria; ++c) {
    const auto found = json.find(kCriteria[c]);
    if (found == json.end() || !found->is_number_integer() || found->get<int>() < 0 || found->get<int>() > 2) {
      return Unexpected<std::string>(fmt::format("\"{}\" is not 0, 1 or 2", kCriteria[c]));
    }
    out.scores[c] = found->get<int>();
  }
  const auto reason = json.find("reason");
  if (reason != json.end() && reason->is_string()) {
    out.reason = replace_all(std::string(trim(reason->get<std::string>())), "\n", " ");
  }
  return out;
}

JudgeModelReport judge_by_model(ChatModel& model,
                                std::span<const Trajectory> stories,
                                std::span<JudgedStep> steps,
                                const std::string& domain,
                                const Path& journal_file,
                                ProgressSink& progress) {
  struct Question {
    JudgedStep* step;
    std::string key;
    ChatPrompt prompt;
  };
  AnswerJournal journal(journal_file, "judgement", kJournalVersion, "a judge's journal");
  JudgeModelReport report;
  std::vector<Question> questions;
  std::size_t wanted = 0;
  for (JudgedStep& step : steps) {
    if (step.scores) {
      continue;
    }
    ++wanted;
    ChatPrompt prompt = judge_prompt(stories[step.episode], step.step, domain);
    std::string key = question_key(model, prompt);
    const Json* known = journal.find(key);
    if (known != nullptr) {
      if (const auto read = read_judgement(*known)) {
        step.scores = *read;
        step.judge = model.version();
        ++report.cached;
        continue;
      }
    }
    questions.push_back({&step, std::move(key), std::move(prompt)});
  }
  progress.begin("judge", wanted, "steps");
  progress.resume(report.cached);
  for (std::size_t begin = 0; begin < questions.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, questions.size());
    std::vector<ChatPrompt> prompts;
    for (std::size_t q = begin; q < end; ++q) {
      prompts.push_back(questions[q].prompt);
    }
    const auto replies = ask_json(
        model,
        prompts,
        [](std::size_t, const Json& json) -> std::optional<std::string> {
          const auto read = read_judgement(json);
          return read ? std::nullopt : std::optional(read.error());
        },
        report.replies);
    for (std::size_t j = 0; j < replies.size(); ++j) {
      Question& question = questions[begin + j];
      Json line = {{"rubric", kRubricVersion},
                   {"judge", model.version()},
                   {"episode_id", stories[question.step->episode].episode_id},
                   {"step", question.step->step}};
      if (replies[j]) {
        question.step->scores = *read_judgement(replies[j]->json);
        question.step->judge = model.version();
        line["judgement"] = replies[j]->json;
      } else {
        line["rejected"] = replies[j].error().reason;
      }
      journal.write(question.key, std::move(line));
    }
    journal.sync();
    progress.advance(report.cached + end, fmt::format("{} tokens", report.replies.completion_tokens));
  }
  progress.end(fmt::format("{} from the journal, {} asked, {} without an answer",
                           report.cached,
                           report.replies.asked,
                           report.replies.rejected + report.replies.unavailable));
  return report;
}

std::optional<Estimate> criterion_mean(std::span<const JudgedStep> steps, std::size_t criterion) {
  struct Sum {
    double scores = 0;
    double steps = 0;
  };
  std::map<std::size_t, Sum> by_episode;
  for (const JudgedStep& step : steps) {
    if (step.scores) {
      by_episode[step.episode].scores += step.scores->scores.at(criterion);
      by_episode[step.episode].steps += 1;
    }
  }
  std::vector<double> means;
  for (const auto& [episode, sum] : by_episode) {
    means.push_back(sum.scores / sum.steps);
  }
  if (means.empty()) {
    return std::nullopt;
  }
  return means.size() == 1 ? Estimate{means[0], 0, 2} : mean_over_seeds(means);
}

}  // namespace dreamgym
