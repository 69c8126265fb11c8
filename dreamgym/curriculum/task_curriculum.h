// Which tasks to train on next (paper section 4.2).
//
// Original tasks are drawn with a bias towards the informative ones (Eq. 7: the variance of a task's
// returns, smoothed by a Beta posterior with forgetting); the most informative ones seed variations
// made by the experience model's own weights (Eq. 6), which fill at most a share lambda of an
// iteration, so that the original distribution stays covered.
// Thread safety: none.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/curriculum/task_clusters.h"
#include "dreamgym/curriculum/task_value.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

/// How original tasks are drawn. p is a task's expected success (its posterior's mean).
enum class TaskChoice {
  kValue,    ///< the paper's: weight 1 - bias + bias * V / 0.25
  kUniform,  ///< every task alike
  kHardest,  ///< the smallest p first
  kReplay,   ///< prioritised level replay (Jiang et al. 2021): by rank of the spread of the last returns, mixed with how
             ///< long a task has not been played
  kAlpha,    ///< alpha-curriculum (GenEnv 2025): weight exp(-10 (p - 0.5)^2)
};

/// @throws Error kConfig naming the known ones ("value", "uniform", "hardest", "replay", "alpha").
TaskChoice task_choice_named(std::string_view name);
std::string_view task_choice_name(TaskChoice choice);

struct CurriculumConfig {
  TaskChoice choice = TaskChoice::kValue;
  double generated_share = 0.25;      ///< lambda in [0, 1]; 0 = original tasks only
  std::size_t seeds_per_iteration = 6;  ///< most informative tasks that are varied
  std::size_t max_generated = 256;    ///< pool of variations; the least valuable leave first
  double value_bias = 0.5;            ///< 0 = uniform over original tasks, 1 = proportional to value
  double forgetting = 0.9;            ///< of earlier outcomes at each update, in (0, 1]
  std::size_t max_instruction_bytes = 1000;  ///< a longer variation is refused
  /// Where episodes stand alone (ppo): similarity from which tasks are of one cluster (task_clusters.h); 0 = each
  /// task for itself.
  double cluster_similarity = 0;
};

/// Makes validated variations of the seed tasks (task_generator.h). Called once an iteration.
using TaskVariation = std::function<std::vector<Task>(std::span<const Task> seeds, const Rng& rng)>;

struct CurriculumCounts {
  std::size_t generated = 0;          ///< variations that entered the pool so far
  std::size_t played_generated = 0;   ///< variations handed out so far
  // Variations that did not enter the pool:
  std::size_t copies = 0;             ///< known already, word for word
  std::size_t near_copies = 0;        ///< known already but for articles, case, blanks and punctuation
  std::size_t empty = 0;
  std::size_t too_long = 0;
};

/// Where the tasks stand. Saturated and hopeless: expected success from 0.9 on, up to 0.1.
struct TaskPools {
  std::size_t unseen = 0;
  std::size_t learnable = 0;
  std::size_t saturated = 0;
  std::size_t hopeless = 0;
};

/// A variation and what became of it, for the report.
struct TaskLineage {
  std::string id;
  std::string parent;                 ///< id of the task it varies
  std::string instruction;
  std::size_t num_groups = 0;         ///< that played it
  double success_probability = 0;     ///< expected, by the posterior
  double value = 0;                   ///< above 0 with both outcomes seen = it can be done and is not trivial
  bool operator==(const TaskLineage&) const = default;
};

class TaskCurriculum {
 public:
  /// @param vary  may be empty: then there are no variations.
  /// @throws Error kInvalidArgument if there are no original tasks or a share is out of range.
  /// @param clusters  tasks of one cluster share their statistics, and their returns of an iteration are one group;
  ///                  null = every task has its own (algorithms that play a task several times).
  TaskCurriculum(std::vector<Task> original,
                 CurriculumConfig config,
                 TaskVariation vary,
                 std::unique_ptr<TaskClusters> clusters = nullptr);

  /// Tasks of the next iteration, at most floor(lambda count) of them generated.
  std::vector<Task> next(std::size_t count, const Rng& rng);
  /// Returns of a task's group.
  void update(const Task& task, std::span<const double> returns);

  [[nodiscard]] double value(const Task& task) const;
  [[nodiscard]] const std::vector<Task>& generated() const { return generated_; }
  [[nodiscard]] const CurriculumCounts& counts() const { return counts_; }
  /// Of original and generated tasks.
  [[nodiscard]] TaskPools pools() const;
  /// Of the variations in the pool that were played: how many succeeded at least once. Feasible by what was seen.
  [[nodiscard]] std::size_t generated_done_once() const;
  /// Every variation in the pool, in order.
  [[nodiscard]] std::vector<TaskLineage> lineage() const;

  /// The whole state for a checkpoint, and back.
  [[nodiscard]] std::string save() const;
  /// @throws Error kCorrupt if the state is of other tasks.
  void restore(const std::string& state);

  /// Names a task by what it asks, so that statistics survive reordering (16 hex digits).
  static std::string content_key(const Task& task);

 private:
  void generate(const Rng& rng);
  /// Whose statistics count for the task: its cluster's or its own.
  [[nodiscard]] std::string key_of(const Task& task) const;
  [[nodiscard]] std::vector<double> weights() const;
  [[nodiscard]] std::vector<double> replay_weights() const;
  [[nodiscard]] std::vector<Task> most_valuable(std::size_t count, Rng& rng) const;

  std::vector<Task> original_;
  CurriculumConfig config_;
  TaskVariation vary_;
  std::unique_ptr<TaskClusters> clusters_;
  TaskValueTracker values_;
  // With clusters: the values when the iteration began, and the returns it has brought since.
  TaskValueTracker values_before_;
  std::map<std::string, std::vector<double>> returns_;
  std::vector<Task> generated_;
  CurriculumCounts counts_;
  std::size_t iterations_ = 0;
  std::vector<std::size_t> last_played_;  // [original] iteration, from 1; 0 = never
};

}  // namespace dreamgym
