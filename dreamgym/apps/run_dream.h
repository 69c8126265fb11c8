// The dream of a run, ready to be played or served.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/apps/dreamer.h"
#include "dreamgym/apps/experiment_data.h"

namespace dreamgym {

/// Owns dreamer, replay buffer and tasks of a run folder. Reality is not asked, whatever the run was told.
/// Thread safety: as EnvironmentBatch.
class RunDream final : public EnvironmentBatch {
 public:
  /// @throws Error kNotFound if the run has no experience model yet and no prompted model dreams; kCorrupt if its store lost the logs.
  RunDream(const Path& run_folder, std::size_t threads);

  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  void end_all() override;
  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) override;

  [[nodiscard]] Dreamer& dreamer() { return *dreamer_; }
  [[nodiscard]] const ExperimentConfig& config() const { return config_; }
  /// Distinct tasks of the run's offline data.
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  /// Candidates from text.
  [[nodiscard]] const ActionMapperFactory* mappers() const { return mappers_.get(); }

 private:
  ExperimentConfig config_;
  std::vector<Task> tasks_;
  std::unique_ptr<ActionMapperFactory> mappers_;
  std::unique_ptr<ReplayBuffer> buffer_;
  std::unique_ptr<Dreamer> dreamer_;
};

}  // namespace dreamgym
