// Calls that run on threads of their own and are taken as they end.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "dreamgym/base/clock.h"

namespace dreamgym {

/// Each call has a number, by which its result is known.
/// Thread safety: start(), collect(), is_due() and idle() by one thread.
template <class Result>
class RunningCalls {
 public:
  using Number = std::uint64_t;
  struct Ended {
    Number number = 0;
    Result result{};
  };

  /// @param num_threads  calls at work at once, at least one; the others wait in the order they were started in.
  explicit RunningCalls(std::size_t num_threads) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, num_threads); ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }
  /// Waits for calls that are at work; those that are not never begin.
  ~RunningCalls() {
    for (std::jthread& thread : threads_) {
      thread.request_stop();
    }
  }
  RunningCalls(const RunningCalls&) = delete;
  RunningCalls& operator=(const RunningCalls&) = delete;

  /// @param number  of no call that was started and not collected.
  void start(Number number, std::function<Result()> call) {
    due_.insert(number);
    const std::lock_guard lock(mutex_);
    waiting_.push_back({number, std::move(call)});
    started_.notify_one();
  }

  /// Those that have ended, by number; waits up to `patience` for the first. Nothing if none is due.
  /// Rethrows what a call threw, of the lowest number, and drops the other results.
  std::vector<Ended> collect(std::chrono::nanoseconds patience) {
    std::vector<Done> done = take(patience);
    std::ranges::sort(done, {}, [](const Done& one) { return one.ended.number; });
    std::vector<Ended> ended;
    std::exception_ptr error;
    for (Done& one : done) {
      due_.erase(one.ended.number);
      error = error ? error : one.error;
      ended.push_back(std::move(one.ended));
    }
    if (error) {
      std::rethrow_exception(error);
    }
    return ended;
  }

  /// Started and not collected.
  [[nodiscard]] bool is_due(Number number) const { return due_.contains(number); }
  /// Nothing is due.
  [[nodiscard]] bool idle() const { return due_.empty(); }

 private:
  struct Call {
    Number number;
    std::function<Result()> run;
  };
  struct Done {
    Ended ended;
    std::exception_ptr error;
  };

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (started_.wait(lock, stop, [this] { return !waiting_.empty(); }) && !stop.stop_requested()) {
      const Call call = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      Done done;
      done.ended.number = call.number;
      try {
        done.ended.result = call.run();
      } catch (...) {
        done.error = std::current_exception();
      }
      lock.lock();
      done_.push_back(std::move(done));
      ended_.notify_one();
    }
  }

  std::vector<Done> take(std::chrono::nanoseconds patience) {
    if (due_.empty()) {
      return {};
    }
    std::unique_lock lock(mutex_);
    const auto any = [this] { return !done_.empty(); };
    if (patience == kUntilItComes) {
      ended_.wait(lock, any);
    } else {
      ended_.wait_for(lock, patience, any);
    }
    return std::exchange(done_, {});
  }

  std::set<Number> due_;
  std::mutex mutex_;
  std::condition_variable_any started_;
  std::condition_variable ended_;
  std::deque<Call> waiting_;  // guarded by mutex_
  std::vector<Done> done_;    // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace dreamgym
