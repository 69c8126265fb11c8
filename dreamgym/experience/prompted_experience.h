// The dream of a language model that was never trained for it: an endpoint or a model that runs here, a prompt, and
// retrieval.
//
// The same promise and the same rules as experience_model.h, in messages instead of tokens. Every step is one
// question: the rules and the tool's description (the same in every question, so that a server's prefix cache
// keeps them), the task, the history, then the most similar stored transitions, what the episode has shown of the
// action's things, and the action. The answer is a JSON object: the fields of a reasoning trace
// (data/reasoning_trace.h), the next state, and how the episode stands.
// - A success counts only if the stated wanted and reached are the same text.
// - An answer that contradicts what the episode has shown (shown_facts.h) is asked for again, a few times.
// - A question nobody answers, or only with what can't be used even after a repair, ends the episode as an
//   infrastructure error: left out of every statistic, never a zero reward.
//   Deviation: experience_model.h makes an unparsable reply a failure state. A trained model's bad reply says
//   something of the action; a prompted one's says something of the server.
// Thread safety: as EnvironmentBatch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/experience/retrieval.h"
#include "dreamgym/experience/stepwise_dream.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/json_reply.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

struct PromptedOptions {
  std::string domain{};                      ///< what the tool is and does, for the model; may be ""
  std::size_t num_demonstrations = 4;        ///< k; 0 = no retrieval
  RetrievalOptions retrieval{};
  double min_similarity = 0.3;               ///< less similar transitions are not shown
  std::size_t max_demonstration_bytes = 800; ///< each
  std::size_t num_recollections = 6;         ///< steps of the episode itself shown before the action
  std::size_t history_bytes = 24'000;        ///< beyond it the oldest steps are left out; 0 = no history
  std::size_t history_steps = kWholeHistory; ///< likewise, in steps
  bool reasoning = true;                     ///< the answer has a trace; without one no success can be verified
  bool verify_success = true;                ///< accept a success only if wanted = reached
  double temperature = 0;
  std::size_t max_reply_tokens = 1024;
  /// Longest text of a trace's field and of the next state, in characters, where the model is held to the schema that
  /// says so; that schema also asks for a state of at least one character and no success before the end. 0 = the
  /// schema has only what every server knows.
  std::size_t max_field_characters = 0;
  std::size_t max_state_characters = 0;
  std::size_t consistency_attempts = 2;      ///< answers until none contradicts what was shown; 1 = take the first
};

struct PromptedCounters {
  std::uint64_t steps = 0;
  std::uint64_t successes = 0;           ///< accepted
  std::uint64_t refused_successes = 0;   ///< wanted and reached were not the same text
  std::uint64_t asked_again = 0;         ///< contradictions
  std::uint64_t contradictions = 0;      ///< kept, because no answer was free of them
  std::uint64_t infrastructure_errors = 0;
  double retrieval_seconds = 0;
  JsonReplyCounts replies;
};

class PromptedExperience final : public StepwiseDream {
 public:
  /// @param model, buffer  borrowed; the buffer may be null if k = 0.
  PromptedExperience(ChatModel& model, const ReplayBuffer* buffer, PromptedOptions options);

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

  [[nodiscard]] const PromptedCounters& counters() const { return counters_; }
  [[nodiscard]] std::string version() const { return model_.version(); }

 private:
  struct Query;

  void retrieve(std::vector<Query>& queries);
  void ask(std::vector<Query>& queries);
  [[nodiscard]] ChatPrompt prompt(const Query& query, std::size_t attempt) const;
  [[nodiscard]] std::string history(const DreamedEpisode& slot) const;
  StepResult conclude(Query& query);

  ChatModel& model_;
  const ReplayBuffer* buffer_;
  PromptedOptions options_;
  std::string rules_;
  std::string schema_;
  std::vector<DreamedEpisode> slots_;
  PromptedCounters counters_;
};

}  // namespace dreamgym
