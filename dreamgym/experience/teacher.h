// Reasoning traces from a teacher: a strong language model that explains logged trajectories (paper 1.2, C.1).
//
// One question a trajectory: the task, whether it succeeded, and every step's state, action and next state. One
// answer: strict JSON with a tutorial (overall plan, success mode, failure mode) and one transition plan a step.
// An answer with another number of plans, without one of its parts, in another language, or that says the same of
// every step is refused, asked for once more with the reason, and then given up.
//
// A plan becomes the step's reasoning trace: the fields of an explainer (data/reasoning_trace.h), which carry what
// the dream's rules read, then "why: <plan>"; or the plan alone.
// Source: DreamGym (arXiv 2511.03773), section 4.1 and appendix C.1.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/data/types.h"
#include "dreamgym/env/explainer.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/json_reply.h"

namespace dreamgym {

/// What a teacher says of a trajectory.
struct TransitionPlans {
  std::string overall_plan;
  std::string success_mode;
  std::string failure_mode;
  std::vector<std::string> plans;  ///< [steps]
  bool operator==(const TransitionPlans&) const = default;
};

enum class TraceForm {
  kFieldsAndPlan,  ///< "effect: new; at: desk 1; why: <plan>"
  kPlan,           ///< the plan alone: no rule of the dream can read it (verify_success must be off)
};

struct TeacherOptions {
  std::string domain{};                      ///< what the tool is and does, for the teacher; may be ""
  std::size_t max_observation_bytes = 1500;  ///< longer observations are shown cut
  std::size_t max_plan_bytes = 600;          ///< a longer plan is refused
  std::size_t reply_tokens_per_step = 120;
  std::size_t batch = 32;                    ///< trajectories asked about before results are written down
  double temperature = 0;
  TraceForm form = TraceForm::kFieldsAndPlan;
};

struct AnnotationReport {
  std::size_t annotated = 0;     ///< trajectories
  std::size_t cached = 0;        ///< of these, answered by the journal
  std::size_t steps = 0;         ///< with a plan
  std::size_t with_gaps = 0;     ///< never asked about: a step does not begin where the one before ended, or none
  JsonReplyCounts replies;
  /// "episode: reason", of those without annotation, in order.
  std::vector<std::string> rejected;
};

/// The question about a trajectory.
ChatPrompt annotation_prompt(const Trajectory& trajectory, const TeacherOptions& options);

/// The answer, checked. The reason if it can't be used.
Expected<TransitionPlans, std::string> read_annotation(const nlohmann::json& json,
                                                       const Trajectory& trajectory,
                                                       const TeacherOptions& options);

/// Where a trajectory has a gap: the first step that does not begin where the one before ended; or that it has no
/// steps. Nothing if it is whole.
std::optional<std::string> gap_of(const Trajectory& trajectory);

/// Asks about every trajectory and puts the plans into its steps' traces.
/// @param explainer  fields of the traces, for TraceForm::kFieldsAndPlan.
/// @param journal    every answer is appended to it, one JSON line each (docs/formats/annotations.md); answers that
///                   are there already (same teacher, same question) are not asked for again, so a run that was
///                   interrupted goes on where it was. "" = none.
/// @throws Error kIo when a whole batch stays unanswered while others wait: the journal keeps what was answered.
/// @return           stories[i] is annotated unless the report's `rejected` names it; those are left as they were.
AnnotationReport annotate_with_teacher(ChatModel& teacher,
                                       std::span<Trajectory> stories,
                                       const Explainer& explainer,
                                       const TeacherOptions& options,
                                       const Path& journal,
                                       ProgressSink& progress,
                                       std::vector<bool>* annotated = nullptr);

}  // namespace dreamgym
