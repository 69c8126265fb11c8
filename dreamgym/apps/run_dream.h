// The dream a run has learnt, ready to be played or served.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/model_folder.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {

/// Owns model, replay buffer and tasks of a run folder.
/// Thread safety: as EnvironmentBatch.
class RunDream final : public EnvironmentBatch {
 public:
  /// @throws Error kNotFound if the run has no experience model yet.
  RunDream(const Path& run_folder, std::size_t threads);

  std::vector<Observation> reset(std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) override;

  /// Distinct tasks of the run's offline data.
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  /// Candidates from text.
  [[nodiscard]] const ActionMapperFactory* mappers() const { return mappers_.get(); }

 private:
  std::vector<Task> tasks_;
  std::unique_ptr<ActionMapperFactory> mappers_;
  ModelFiles model_;
  std::unique_ptr<GenerationEngine> engine_;
  std::unique_ptr<ReplayBuffer> buffer_;
  std::unique_ptr<ExperienceModel> dream_;
};

}  // namespace dreamgym
