// From one environment to many, and back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "dreamgym/env/environment.h"

namespace dreamgym {

/// A batch whose slots are environments of their own, stepped on several threads.
/// Thread safety: none; the factory is called on the caller's thread.
class SingleEnvironmentBatch final : public EnvironmentBatch {
 public:
  using Factory = std::function<std::unique_ptr<Environment>()>;

  /// @param num_threads  at most this many slots at work at once; the results don't depend on it.
  SingleEnvironmentBatch(Factory factory, std::size_t num_threads);
  std::vector<Observation> reset(std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) override;

 private:
  Factory factory_;
  std::size_t num_threads_;
  std::size_t num_slots_ = 0;                               ///< slots of the running episodes
  std::vector<std::unique_ptr<Environment>> environments_;  ///< kept for reuse, may be more
};

/// One environment that is the single slot of a batch.
/// Thread safety: none.
class BatchedEnvironment final : public Environment {
 public:
  explicit BatchedEnvironment(std::unique_ptr<EnvironmentBatch> batch);
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

 private:
  std::unique_ptr<EnvironmentBatch> batch_;
  bool running_ = false;
};

}  // namespace dreamgym
