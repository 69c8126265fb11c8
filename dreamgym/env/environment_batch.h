// From one environment to many, and back.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/running_calls.h"
#include "dreamgym/env/environment.h"

namespace dreamgym {

/// A batch whose slots are environments of their own, stepped on several threads.
///
/// With WhenItFails::kReport an environment that throws Error kIo, kBusy or kDiverged fails its slot
/// only (failure() says why), and the slot's next episode gets a fresh one; other errors are the
/// caller's and pass. With kThrow all of them do.
/// What is submitted runs on threads of the batch; an answer that is never collected is waited for by
/// end_all(), reset() and the destructor.
/// Thread safety: none; the factory is called on the caller's thread.
class SingleEnvironmentBatch final : public EnvironmentBatch {
 public:
  using Factory = std::function<std::unique_ptr<Environment>()>;
  enum class WhenItFails { kThrow, kReport };

  /// @param num_threads  at most this many slots at work at once; the results don't depend on it.
  SingleEnvironmentBatch(Factory factory,
                         std::size_t num_threads,
                         WhenItFails when_it_fails = WhenItFails::kThrow);
  ~SingleEnvironmentBatch() override;
  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  void end_all() override;
  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) override;
  void submit_start(std::span<const std::size_t> slots,
                    std::span<const Task> tasks,
                    std::span<const std::uint64_t> seeds) override;
  void submit(std::span<const std::size_t> slots, std::span<const Action> actions) override;
  [[nodiscard]] bool answers_later() const override { return true; }
  std::vector<SlotAnswer> collect(std::chrono::nanoseconds patience) override;
  [[nodiscard]] std::string failure(std::size_t slot) const override;

 private:
  struct Slot {
    std::unique_ptr<Environment> environment;  ///< kept for reuse; null once it has failed
    std::string failure;
    bool started = false;  ///< since the last end_all()
  };

  void check_free(std::span<const std::size_t> slots, std::size_t num_arguments) const;
  void check_steppable(std::span<const std::size_t> slots, std::span<const Action> actions) const;
  /// Slots with environments, in which the next episodes may start.
  void make_ready(std::span<const std::size_t> slots);
  /// Runs `call` on the slot's environment; what it throws of the machine's failing is kept.
  template <class Call>
  auto guarded(Slot& slot, const Call& call) const;
  void run_later(std::size_t slot, std::function<StepResult(Environment&)> call);

  Factory factory_;
  std::size_t num_threads_;
  WhenItFails when_it_fails_;
  std::deque<Slot> slots_;  ///< a slot stays where it is while threads are at work in it
  std::unique_ptr<RunningCalls<StepResult>> calls_;  ///< last: its threads use the others
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
