// How much a task still has to teach: the variance of its group's returns, smoothed over time.
//
// A task that always fails or always succeeds teaches a group-relative learner nothing; one with
// an even chance teaches most. The paper measures a task by the population variance of its group's
// returns (Eq. 7); one group of 8 is a noisy measure, so a Beta posterior over the success
// probability remembers earlier groups and slowly forgets them, since the policy changes.
// Keys are content hashes, so that statistics survive reordering and resuming.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// Population variance of a group's returns: V = (1/n) sum_i (r_i - mean)^2. Zero for one return.
///
/// @param returns  [n] of the n rollouts of one task; finite.
/// @throws Error   kInvalidArgument if there are none or one is not finite.
/// Source:         DreamGym Eq. 7 (there called reward entropy; for 0/1 returns it is p(1 - p)).
double group_variance(std::span<const double> returns);

/// What is known of one task.
struct TaskStatistics {
  double successes = 0;        ///< discounted sum of returns
  double failures = 0;         ///< discounted sum of (1 - return)
  std::size_t num_groups = 0;  ///< groups seen, not discounted
  double last_variance = 0;    ///< Eq. 7 of the last group
  bool operator==(const TaskStatistics&) const = default;
};

/// Thread safety: const members are reentrant.
class TaskValueTracker {
 public:
  struct Options {
    double prior_successes = 1;  ///< a of the prior Beta(a, b); > 0
    double prior_failures = 1;   ///< b of the prior; > 0
    double forgetting = 0.7;     ///< what a group leaves of the evidence before it, in [0, 1]
  };
  struct Ranked {
    std::string key;
    double value = 0;
    bool operator==(const Ranked&) const = default;
  };

  TaskValueTracker();
  /// @throws Error kInvalidArgument outside the ranges above.
  explicit TaskValueTracker(Options options);
  /// With the prior Beta(1, 1).
  explicit TaskValueTracker(double forgetting);

  /// Takes in one group's returns: evidence <- forgetting * evidence + (sum r, sum (1 - r)).
  /// Episodes that failed for reasons of infrastructure must be left out by the caller.
  /// @param returns  [n] in [0, 1], not empty.
  /// @throws Error   kInvalidArgument if one is outside; the tracker is then unchanged.
  void update(std::string_view key, std::span<const double> returns);

  /// Expected p(1 - p) under the posterior Beta(a, b): a b / ((a + b) (a + b + 1)). At most 1/4;
  /// an unseen task has the prior's (1/6 for Beta(1, 1)).
  [[nodiscard]] double value(std::string_view key) const;
  /// Expected success probability a / (a + b).
  [[nodiscard]] double success_probability(std::string_view key) const;
  [[nodiscard]] std::optional<TaskStatistics> statistics(std::string_view key) const;
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// All tasks seen, highest value first, equal ones by key.
  [[nodiscard]] std::vector<Ranked> ranking() const;

  /// The whole state as text, options included, exact to the bit; for checkpoints.
  [[nodiscard]] std::string save() const;
  /// Becomes what save() was called on.
  /// @throws Error kCorrupt naming the line that is not what save() writes; it is then unchanged.
  void restore(std::string_view state);

  bool operator==(const TaskValueTracker& other) const;

 private:
  struct Posterior {
    double a;
    double b;
  };
  [[nodiscard]] Posterior posterior(std::string_view key) const;

  Options options_;
  std::map<std::string, TaskStatistics, std::less<>> tasks_;
};

}  // namespace dreamgym
