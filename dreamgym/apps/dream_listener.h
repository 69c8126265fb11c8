// Adds what the dream counted to each iteration of training in it, and keeps its budgets in the checkpoints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dreamgym/apps/dreamer.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

/// Thread safety: none.
class DreamListener final : public TrainingListener {
 public:
  /// @param recorder, dreamer  borrowed.
  DreamListener(TrainingListener& recorder, Dreamer& dreamer) : recorder_(recorder), dreamer_(dreamer) {}

  /// Metrics dream/NAME: what was counted since the iteration before.
  void on_iteration(std::size_t iteration,
                    const std::vector<Episode>& episodes,
                    const std::map<std::string, double>& metrics) override;
  [[nodiscard]] std::string save() const override;
  void restore(const std::string& state) override;

 private:
  [[nodiscard]] std::map<std::string, double> uncounted() const;

  TrainingListener& recorder_;
  Dreamer& dreamer_;
  std::map<std::string, double> told_;    // counted and told
  std::map<std::string, double> before_;  // counted and not told when the run was interrupted
};

}  // namespace dreamgym
