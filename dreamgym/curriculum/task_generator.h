// Task variations from the experience model's own weights under another prompt (paper Eq. 6).
//
// <|vary|><|state|>first observation<|task|>seed task<|task|>new task<|end|>. The model has learnt
// this from pairs of tasks of the offline data; a proposal is kept if it can be done in the place it
// was made for (by the world's own word, else by task_grammar.h) and is not a task already known
// there. A first observation that holds its task's instruction is shown to the model without it.
// Thread safety: calls must not overlap.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/expected.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/curriculum/task_grammar.h"
#include "dreamgym/data/types.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/training_sequence.h"

namespace dreamgym {

/// The task that the instruction asks for in the seed's place, with its settings; or why there is
/// none.
using TaskRevision =
    std::function<Expected<Task, std::string>(const Task& seed, const std::string& instruction)>;

/// Any instruction that the grammar finds well formed and feasible, in the seed's unchanged place.
TaskRevision grammar_revision(TaskGrammar grammar);

struct TaskGeneratorOptions {
  std::size_t proposals_per_seed = 5;
  std::size_t candidates = 5;        ///< where an endpoint is asked (prompted_task_generator.h): it chooses one of them
  double temperature = 1.0;
  std::size_t max_task_tokens = 32;
};

struct TaskGeneratorCounts {
  std::size_t proposed = 0;
  std::size_t malformed = 0;    ///< unparsable, or refused by the revision
  std::size_t duplicates = 0;   ///< equal to the seed or to another proposal of this call
};

class TaskGenerator {
 public:
  /// @param model  borrowed: the experience model's engine.
  TaskGenerator(LanguageModel& model,
                std::shared_ptr<const Tokenizer> tokenizer,
                TaskRevision revise,
                TaskGeneratorOptions options);

  /// Validated variations of the seeds, in order; each names its seed as parent_task.
  std::vector<Task> vary(std::span<const Task> seeds, const Rng& rng);

  [[nodiscard]] const TaskGeneratorCounts& counts() const { return counts_; }

  /// What teaches a model to vary: for each task with a first observation, another task as the seed.
  /// Seeds from the same place are preferred.
  static std::vector<TrainingSequence> training_sequences(const Tokenizer& tokenizer,
                                                          const std::vector<Task>& tasks,
                                                          const Rng& rng);

 private:
  LanguageModel& model_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  TaskRevision revise_;
  TaskGeneratorOptions options_;
  TaskGeneratorCounts counts_;
};

}  // namespace dreamgym
