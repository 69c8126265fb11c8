// Steps of environments that run on threads of their own and are taken as they end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "dreamgym/env/environment.h"

namespace dreamgym::env_internal {

/// Thread safety: start(), collect() and is_due() by one thread.
class RunningCalls {
 public:
  /// @param num_threads  calls at work at once; the others wait in the order they were started in.
  explicit RunningCalls(std::size_t num_threads);
  /// Waits for calls that are at work; those that are not never begin.
  ~RunningCalls();

  void start(std::size_t slot, std::function<StepResult()> call);
  /// As EnvironmentBatch::collect(); rethrows what a call threw, of the lowest slot, and drops the other answers.
  std::vector<SlotAnswer> collect(std::chrono::nanoseconds patience);
  /// Started and not collected.
  [[nodiscard]] bool is_due(std::size_t slot) const { return due_.contains(slot); }

 private:
  struct Call {
    std::size_t slot;
    std::function<StepResult()> run;
  };
  struct Done {
    SlotAnswer answer;
    std::exception_ptr error;
  };

  void work(const std::stop_token& stop);

  std::set<std::size_t> due_;
  std::mutex mutex_;
  std::condition_variable_any started_;
  std::condition_variable_any ended_;
  std::deque<Call> waiting_;  // guarded by mutex_
  std::vector<Done> done_;    // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace dreamgym::env_internal
