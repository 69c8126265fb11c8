// Who takes note of what training sees; part of the checkpointed state.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

class TrainingListener {
 public:
  virtual ~TrainingListener() = default;
  virtual void on_iteration(std::size_t iteration,
                            const std::vector<Episode>& episodes,
                            const std::map<std::string, double>& metrics) = 0;
  /// After on_iteration(): where the iteration's time went, in the names of docs/metrics.md. Not
  /// among its metrics, which are the same in every run of one seed.
  virtual void on_times(std::size_t /*iteration*/, const std::map<std::string, double>& /*times*/) {}
  /// What restore() needs to forget everything that came later (file sizes, counts); one line.
  [[nodiscard]] virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
  /// Asked before each iteration, and after restore(): true ends the training there.
  [[nodiscard]] virtual bool wants_stop() const { return false; }
};

}  // namespace dreamgym
