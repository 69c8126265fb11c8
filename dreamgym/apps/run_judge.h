// Judging what a run dreams: by rules against its world's engine where the dreamed episode is real so far, by a
// language model elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/eval/judge.h"

namespace dreamgym {

struct JudgeRequest {
  Path run;
  /// Episodes to judge, canonical JSONL; "" = the run's best policy plays its dream, once: kept in
  /// RUN/judge/episodes.jsonl and judged again from there.
  std::string episodes_file;
  std::size_t episodes = 100;
  std::size_t threads = 2;
  bool by_rules = true;         ///< where the engine knows the truth; false = the model judges everything
  ChatModel* model = nullptr;   ///< borrowed; null = steps without a known truth stay unjudged
  std::string domain;           ///< what the tool is and does, for the model; may be ""
};

struct RunJudgement {
  std::vector<Trajectory> stories;
  std::vector<JudgedStep> steps;   ///< every step of every story, in order
  std::uint64_t real_steps = 0;    ///< taken in the engine to know the truth
  std::optional<JudgeModelReport> model;
};

/// The model's answers are kept in RUN/judge/journal.jsonl, so a second run goes on from there.
/// @throws Error kNotFound if the run has no dream or policy yet; kInvalidArgument if nobody can judge.
RunJudgement judge_run(const JudgeRequest& request, ProgressSink& progress);

/// One JSON object a line: rubric, judge, episode_id, step, the four scores (null where nobody could judge), reason.
std::string judgement_lines(const RunJudgement& judgement);

/// Means with intervals beside the paper's figure, for people.
std::string judgement_table(const RunJudgement& judgement);

}  // namespace dreamgym
