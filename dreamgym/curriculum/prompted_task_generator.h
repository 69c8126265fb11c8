// Task variations from a language model that is asked in messages (paper section 4.2 and appendix C.2).
//
// Two questions a seed: for candidates (five by default), and, among those that can be done in the seed's place,
// for the one that is worth most: challenging but feasible, clear, no mere rewording, realistic. A seed whose
// questions nobody answers, or only with what can't be used, has no variation in this iteration; that is counted.
// Thread safety: calls must not overlap.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/data/types.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/json_reply.h"

namespace dreamgym {

struct PromptedTaskOptions {
  std::string domain{};              ///< what the tool is and does, for the model; may be ""
  std::size_t candidates = 5;        ///< asked for, a seed
  double temperature = 1.0;          ///< of the candidates; the choice among them is greedy
  std::size_t max_place_bytes = 2000;  ///< of the seed's first observation shown
  std::size_t max_reply_tokens = 800;
};

struct PromptedTaskCounts {
  TaskGeneratorCounts candidates;    ///< proposed, malformed, duplicates
  std::size_t unchosen = 0;          ///< candidates that could be done and were not selected
  std::size_t failed_seeds = 0;      ///< seeds left without a usable answer
  JsonReplyCounts replies;
};

class PromptedTaskGenerator {
 public:
  /// @param model  borrowed. @throws LogicError if no candidate is asked for.
  PromptedTaskGenerator(ChatModel& model, TaskRevision revise, PromptedTaskOptions options);

  /// At most one validated variation of each seed, in order; each names its seed as parent_task.
  std::vector<Task> vary(std::span<const Task> seeds, const Rng& rng);

  [[nodiscard]] const PromptedTaskCounts& counts() const { return counts_; }

 private:
  struct Candidates;
  std::vector<Candidates> propose(std::span<const Task> seeds, const Rng& rng);
  void select(std::vector<Candidates>& pools, const Rng& rng);

  ChatModel& model_;
  TaskRevision revise_;
  PromptedTaskOptions options_;
  PromptedTaskCounts counts_;
};

}  // namespace dreamgym
