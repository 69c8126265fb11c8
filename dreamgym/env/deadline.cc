#include "dreamgym/env/deadline.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

struct DeadlineEnvironment::Worker {
  std::unique_ptr<Environment> environment;
  std::mutex mutex;
  std::condition_variable arrived;
  std::function<void()> job;
  bool left = false;  // nobody will ask again

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      arrived.wait(lock, [&] { return job || left; });
      if (left) {
        return;
      }
      const std::function<void()> work = std::move(job);
      job = nullptr;
      lock.unlock();
      work();
      lock.lock();
    }
  }

  void leave() {
    const std::lock_guard lock(mutex);
    left = true;
    arrived.notify_one();
  }
};

DeadlineEnvironment::DeadlineEnvironment(std::unique_ptr<Environment> inner, double seconds)
    : worker_(std::make_shared<Worker>()), seconds_(seconds) {
  check(inner != nullptr && seconds > 0, "an environment and a positive deadline");
  worker_->environment = std::move(inner);
  std::thread([worker = worker_] { worker->run(); }).detach();
}

DeadlineEnvironment::~DeadlineEnvironment() { worker_->leave(); }

template <class Call>
auto DeadlineEnvironment::in_time(const char* what, Call call) {
  using Answer = decltype(call(*worker_->environment));
  if (worker_->left) {
    throw Error(ErrorKind::kIo, fmt::format("an environment was asked to {} after it was given up", what));
  }
  auto task = std::make_shared<std::packaged_task<Answer()>>(
      [worker = worker_.get(), call = std::move(call)] { return call(*worker->environment); });
  std::future<Answer> answer = task->get_future();
  {
    const std::lock_guard lock(worker_->mutex);
    worker_->job = [task] { (*task)(); };
    worker_->arrived.notify_one();
  }
  if (answer.wait_for(std::chrono::duration<double>(seconds_)) != std::future_status::ready) {
    worker_->leave();
    throw Error(ErrorKind::kIo,
                fmt::format("an environment's {} took longer than {} s", what, seconds_),
                "raise rollout.turn_seconds if it is only slow");
  }
  return answer.get();
}

Observation DeadlineEnvironment::reset(const Task& task, std::uint64_t seed) {
  return in_time("reset", [task, seed](Environment& inner) { return inner.reset(task, seed); });
}

StepResult DeadlineEnvironment::step(const Action& action) {
  return in_time("step", [action](Environment& inner) { return inner.step(action); });
}

}  // namespace dreamgym
