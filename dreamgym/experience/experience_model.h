// The experience model as an environment: the dream (paper section 4.1, Eq. 4).
//
// Each step is one decode: the reasoning trace first, then the next observation and the end flag.
// - Retrieval: the k most similar stored transitions are shown as demonstrations, then what the episode
//   itself has shown of the action's things; both are rolled back afterwards.
// - Everything is greedy except contents nobody has seen yet (the trace says "new"): those are sampled,
//   from a stream keyed by the episode's world seed and the action, so that members of a group who
//   look into the same drawer first find the same things more often than not.
// - By option what a first look finds of the task's things (kFindField) is a decision of its own where nothing is known
//   of the place: it is sampled, and with it what is there, without demonstrations. A model copies what it is shown, and what
//   other places hold is not what the task is about: a house whose things are copied seldom has what one looks for.
// - A trace or an observation that contradicts what the episode has shown (shown_facts.h) is held to it: the model
//   goes on from before the fault with what can be (internal/held_reply.h). What that does not mend is sampled
//   again, a few times; if none is better the first one stands. All three are counted.
// - A success counts only if the trace states what was wanted and what was reached and the two are
//   equal; refused successes are counted and the episode goes on.
// - By option the world's own rule decides about successes instead (reward_rule.h).
// - An unparsable reply is a failure state with zero reward, counted.
// Each step carries a confidence: the probability the model gave its whole reply. eval/calibration.h says what it
// is worth.
// The first observation comes with the task (task_settings::kFirstObservation): the dream varies
// what is hidden, not what the task description says.
//
// Thread safety: as EnvironmentBatch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/experience/query_context.h"
#include "dreamgym/experience/retrieval.h"
#include "dreamgym/experience/stepwise_dream.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

namespace experience_internal {
struct Continuation;
}

struct ExperienceOptions {
  std::size_t num_demonstrations = 1;         ///< k; 0 = no retrieval
  std::size_t max_demonstration_tokens = 48;  ///< each: a whole look at a full place
  std::size_t num_recollections = 6;          ///< steps of the episode itself shown before the query
  bool remind = false;                        ///< of task and place before each query (query_context.h)
  double hidden_temperature = 1.0;            ///< of contents nobody has seen; 0 = greedy
  std::size_t consistency_attempts = 3;       ///< replies until one can be read and contradicts nothing shown; 1 = take the first
  bool hold_to_record = true;                 ///< mend a contradiction where it stands before asking again
  bool draw_findings = false;                 ///< at unknown places: what a first look finds, then what is there
  RetrievalOptions retrieval{};
  std::size_t max_trace_tokens = 96;
  std::size_t max_observation_tokens = 200;
  bool verify_success = true;                 ///< accept a success only if wanted = reached
  /// ... and only if every word of wanted stands in the task: what was asked for, not what was done.
  bool want_from_task = false;
  /// A refused success ends the episode as a failure, where trying ends it (a purchase); else it goes on.
  bool refusal_ends = false;
  /// The world's rule says what an episode that the model ends is worth, not the model or its trace.
  bool reward_by_rule = false;
  /// Past steps the model sees; from kWholeHistory on, all of them (paper Eq. 4). 0 = only the present state.
  std::size_t history_steps = kWholeHistory;
  /// Tokens of past steps the model sees; over it the oldest leave. Keep it to what the model was taught: behind that,
  /// it neither copies nor ends its replies as it should. At least 64; the model's own limit bounds it, too.
  std::size_t max_history_tokens = kWholeHistory;
  bool reasoning = true;                      ///< trace before state; without one no success can be verified
  std::size_t num_threads = 1;                ///< of the retrieval
  std::size_t first_session = 1ULL << 32;     ///< cache keys used: first_session + slot
};

/// Of a model with these options.
inline QueryContextOptions query_context_options(const ExperienceOptions& options) {
  return {.num_recollections = options.num_recollections, .remind = options.remind};
}

struct DreamCounters {
  std::uint64_t steps = 0;
  std::uint64_t unparsable = 0;          ///< replies turned into failure states
  std::uint64_t successes = 0;           ///< accepted
  std::uint64_t refused_successes = 0;   ///< wanted and reached were not the same text
  std::uint64_t overruled = 0;           ///< ends that the rule judged otherwise than the model (reward_by_rule)
  std::uint64_t held = 0;                ///< traces and observations held to the record
  std::uint64_t resampled = 0;           ///< traces and observations asked for again: unreadable, contradictions
  std::uint64_t contradictions = 0;      ///< kept, because no reply was free of them
  double retrieval_seconds = 0;
};

class ExperienceModel final : public StepwiseDream {
 public:
  /// @param model   borrowed. @param buffer  borrowed; may be null if k = 0.
  /// Both must outlive this object.
  /// @param rule    of the world; read with reward_by_rule only, may be null else.
  /// @throws Error  kUnsupported if rewards are to come from a rule and there is none.
  ExperienceModel(LanguageModel& model,
                  std::shared_ptr<const Tokenizer> tokenizer,
                  const ReplayBuffer* buffer,
                  ExperienceOptions options,
                  std::shared_ptr<const EpisodeAuditor> rule = nullptr);

  /// @throws Error kInvalidArgument if a task has no first observation.
  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  void end_all() override;
  std::vector<StepResult> propose(std::span<const std::size_t> slots,
                                  std::span<const Action> actions) override;
  void commit(std::span<const std::size_t> slots,
              std::span<const Action> actions,
              std::span<const StepResult> results) override;

  [[nodiscard]] const DreamCounters& counters() const { return counters_; }
  [[nodiscard]] std::string version() const { return model_.version(); }

 private:
  struct Slot : DreamedEpisode {
    std::vector<TokenId> start;                    // prompt up to the first step
    std::vector<std::vector<TokenId>> past_steps;  // one run per step
    std::vector<TokenId> trunk;                    // start + past steps, within the budget
    StepResult proposed;                           // the last one, and the reply it was read from
    std::vector<TokenId> proposed_reply;
  };
  struct Query;

  struct Retrieved {
    std::vector<Demonstration> shown;
    bool of_the_place = false;  ///< what is known of the very place is among them
  };
  std::vector<Retrieved> retrieve(std::span<const std::size_t> slots, std::span<const Action> actions);
  // A part of the reply: what to ask for at an attempt, whether what came back ends as it should,
  // whether it can be true, and what it becomes if it is held to the record (nothing: it can't be).
  struct Part {
    std::function<GenerationRequest(const Query&, std::size_t attempt)> request;
    std::function<bool(std::span<const TokenId>)> is_readable;
    std::function<bool(const Query&, std::span<const TokenId>)> is_consistent;
    std::function<std::optional<GenerationReply>(const Query&, const GenerationReply&, std::size_t attempt)> hold;
  };
  void dream_traces(std::vector<Query>& queries);
  /// First looks at places nobody knows: what they find of the task's things.
  void dream_findings(std::vector<Query>& queries);
  void dream_observations(std::vector<Query>& queries);
  void dream(std::vector<Query>& queries, std::vector<std::size_t> asked, const Part& part);
  /// The same trace with the place or the contents that must be, or with an effect that can be.
  [[nodiscard]] std::optional<GenerationReply> hold_trace(const Query& query,
                                                          const GenerationReply& reply,
                                                          const GenerationRequest& request);
  /// A trace as it is up to this field, which has this value, and what the model says after it.
  [[nodiscard]] GenerationReply hold_field(const ReasoningTrace& trace,
                                           const std::string& field,
                                           const std::string& value,
                                           const GenerationRequest& request);
  /// The words that are known, else the same observation with things that can be there.
  [[nodiscard]] std::optional<GenerationReply> hold_observation(const Query& query,
                                                                const GenerationReply& reply,
                                                                const GenerationRequest& request);
  /// How the model goes on from the beginning of a reply to a request.
  [[nodiscard]] GenerationReply go_on(const GenerationRequest& request,
                                      const experience_internal::Continuation& continuation);
  /// What the trace says was wanted is, word for word, of the task.
  [[nodiscard]] bool wants_what_was_asked(const ReasoningTrace& trace, const Slot& slot) const;
  [[nodiscard]] std::optional<ReasoningTrace> trace_in(std::span<const TokenId> reply) const;
  [[nodiscard]] GenerationRequest base_request(const Query& query, std::size_t attempt) const;
  /// The same for a trace, or the rest of one: up to where the observation begins.
  [[nodiscard]] GenerationRequest trace_request(const Query& query, std::size_t attempt) const;
  /// It ends where the observation begins, and is text up to there.
  [[nodiscard]] bool is_readable_trace(std::span<const TokenId> reply) const;
  StepResult conclude(Query& query);
  /// Reward and end of the step once trace or rule have been heard; the flag that stands for them.
  EndFlag settle(const Query& query, const DreamedStep& step, StepResult& result);
  /// The step as the trunk keeps it: as it was sampled, or encoded where something else came to pass.
  [[nodiscard]] std::vector<TokenId> step_tokens(const Slot& slot, const Action& action, const StepResult& result) const;
  /// The model's cache key of a slot.
  [[nodiscard]] std::uint64_t session_of(std::size_t slot) const { return options_.first_session + slot; }
  void remember(Slot& slot, std::vector<TokenId> step_tokens);
  [[nodiscard]] std::size_t reply_reserve() const;

  LanguageModel& model_;
  ExperiencePrompt prompt_;
  const ReplayBuffer* buffer_;
  ExperienceOptions options_;
  std::shared_ptr<const EpisodeAuditor> rule_;
  std::vector<Slot> slots_;  // those never started do not run
  DreamCounters counters_;
};

}  // namespace dreamgym
