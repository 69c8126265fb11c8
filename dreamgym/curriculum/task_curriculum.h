// Which tasks to train on next (paper section 4.2).
//
// Original tasks are drawn with a bias towards the informative ones (Eq. 7: the variance of a task's
// returns, smoothed by a Beta posterior with forgetting); the most informative ones seed variations
// made by the experience model's own weights (Eq. 6), which fill at most a share lambda of an
// iteration, so that the original distribution stays covered.
// Thread safety: none.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/curriculum/task_value.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

struct CurriculumConfig {
  double generated_share = 0.25;      ///< lambda in [0, 1]; 0 = original tasks only
  std::size_t seeds_per_iteration = 6;  ///< most informative tasks that are varied
  std::size_t max_generated = 256;    ///< pool of variations; the least valuable leave first
  double value_bias = 0.5;            ///< 0 = uniform over original tasks, 1 = proportional to value
  double forgetting = 0.9;            ///< of earlier outcomes at each update, in (0, 1]
};

/// Makes validated variations of the seed tasks (task_generator.h). Called once an iteration.
using TaskVariation = std::function<std::vector<Task>(std::span<const Task> seeds, const Rng& rng)>;

struct CurriculumCounts {
  std::size_t generated = 0;          ///< variations that entered the pool so far
  std::size_t played_generated = 0;   ///< variations handed out so far
};

class TaskCurriculum {
 public:
  /// @param vary  may be empty: then there are no variations.
  /// @throws Error kInvalidArgument if there are no original tasks or a share is out of range.
  TaskCurriculum(std::vector<Task> original, CurriculumConfig config, TaskVariation vary);

  /// Tasks of the next iteration, at most floor(lambda count) of them generated.
  std::vector<Task> next(std::size_t count, const Rng& rng);
  /// Returns of a task's group.
  void update(const Task& task, std::span<const double> returns);

  [[nodiscard]] double value(const Task& task) const;
  [[nodiscard]] const std::vector<Task>& generated() const { return generated_; }
  [[nodiscard]] const CurriculumCounts& counts() const { return counts_; }

  /// The whole state for a checkpoint, and back.
  [[nodiscard]] std::string save() const;
  /// @throws Error kCorrupt if the state is of other tasks.
  void restore(const std::string& state);

  /// Names a task by what it asks, so that statistics survive reordering (16 hex digits).
  static std::string content_key(const Task& task);

 private:
  void generate(const Rng& rng);
  [[nodiscard]] std::vector<Task> most_valuable(std::size_t count, Rng& rng) const;

  std::vector<Task> original_;
  CurriculumConfig config_;
  TaskVariation vary_;
  TaskValueTracker values_;
  std::vector<Task> generated_;
  CurriculumCounts counts_;
};

}  // namespace dreamgym
