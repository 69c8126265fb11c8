#include "dreamgym/env/internal/running_calls.h"

#include <algorithm>
#include <utility>

namespace dreamgym::env_internal {

RunningCalls::RunningCalls(std::size_t num_threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, num_threads); ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

RunningCalls::~RunningCalls() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
}

void RunningCalls::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (started_.wait(lock, stop, [this] { return !waiting_.empty(); }) && !stop.stop_requested()) {
    const Call call = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Done done;
    done.answer.slot = call.slot;
    try {
      done.answer.result = call.run();
    } catch (...) {
      done.error = std::current_exception();
    }
    lock.lock();
    done_.push_back(std::move(done));
    ended_.notify_one();
  }
}

void RunningCalls::start(std::size_t slot, std::function<StepResult()> call) {
  due_.insert(slot);
  const std::lock_guard lock(mutex_);
  waiting_.push_back({slot, std::move(call)});
  started_.notify_one();
}

std::vector<SlotAnswer> RunningCalls::collect(std::chrono::nanoseconds patience) {
  std::vector<Done> done;
  if (!due_.empty()) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return !done_.empty(); });
    ended_.wait_for(lock, patience, [this] { return done_.size() == due_.size(); });
    done = std::exchange(done_, {});
  }
  std::ranges::sort(done, {}, [](const Done& one) { return one.answer.slot; });
  std::vector<SlotAnswer> answers;
  std::exception_ptr error;
  for (Done& one : done) {
    due_.erase(one.answer.slot);
    error = error ? error : one.error;
    answers.push_back(std::move(one.answer));
  }
  if (error) {
    std::rethrow_exception(error);
  }
  return answers;
}

}  // namespace dreamgym::env_internal
