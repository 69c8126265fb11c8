// The four criteria by which the paper judges dreamed transitions (its Fig. 4 and appendix C.4), 0, 1 or 2 each.
//
// Where an engine knows what really comes next, rules compare (judge_against_truth); elsewhere a language model
// reads the task, the steps before, the state, the action and the state that follows, and the rubric.
// Every judgement names its rubric's version and its judge: those of different ones are not to be mixed.
// Deviation: the paper's judge is GPT-4o alone.
// Thread safety: pure functions; judge_by_model as its model.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/data/types.h"
#include "dreamgym/env/environment.h"
#include "dreamgym/eval/statistics.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/json_reply.h"

namespace dreamgym {

/// Of questions and rules alike; another text or rule is another version.
inline constexpr const char* kRubricVersion = "dreamgym-rubric-1";

/// Causal consistency of the state, diversity and variation of the state, informativeness, and hallucination and
/// failure feedback (higher is better there too).
inline constexpr std::size_t kNumCriteria = 4;
inline constexpr std::array<const char*, kNumCriteria> kCriteria = {
    "consistency", "diversity", "informativeness", "hallucination"};

struct JudgeScores {
  std::array<int, kNumCriteria> scores{};  ///< 0, 1 or 2, in the order of kCriteria
  std::string reason;                      ///< one line
  bool operator==(const JudgeScores&) const = default;
};

/// A dreamed step by rules, against what really follows from the same state and action.
///
/// Words are compared as sets: recall and precision of the truth's words, F1, and the share that changes from one
/// state to the next.
/// - consistency: 2 the very same text; 1 F1 of at least 0.6 and the right end; else 0.
/// - diversity: 2 at least 0.3 of the words change, 1 some do; 0 none, or an inconsistent jump.
/// - informativeness: 2 recall of at least 0.9; 1 of at least 0.4; else 0.
/// - hallucination: 0 a success that is none or one that is missed, or an impossible action that seems to work;
///   2 no word in ten is invented (precision of at least 0.9); else 1.
JudgeScores judge_against_truth(const Transition& dreamed, const StepResult& truth);

/// The question about story.steps[t]. @param domain  what the tool is and does; may be "".
ChatPrompt judge_prompt(const Trajectory& story, std::size_t t, const std::string& domain);

/// The answer, checked. The reason if it can't be used.
Expected<JudgeScores, std::string> read_judgement(const nlohmann::json& json);

/// A step of one of several episodes.
struct JudgedStep {
  std::size_t episode = 0;
  std::size_t step = 0;
  std::optional<JudgeScores> scores;  ///< nothing if nobody could judge it
  std::string judge;                  ///< "rules" or the model's version; "" if nobody
};

struct JudgeModelReport {
  std::size_t cached = 0;  ///< answered by the journal
  JsonReplyCounts replies;
};

/// Asks a model about the steps in `steps` that have no scores yet.
/// @param journal  answers are appended and found again there (docs/formats/judgements.md); "" = none.
JudgeModelReport judge_by_model(ChatModel& model,
                                std::span<const Trajectory> stories,
                                std::span<JudgedStep> steps,
                                const std::string& domain,
                                const Path& journal,
                                ProgressSink& progress);

/// Of one criterion: the mean over episodes of their steps' mean scores, with Student's interval over episodes
/// (with one episode the interval is 0 to 2). Nothing if no step was judged.
std::optional<Estimate> criterion_mean(std::span<const JudgedStep> steps, std::size_t criterion);

}  // namespace dreamgym
