#include "dreamgym/rollout/watchdog.h"

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"

namespace dreamgym {

Watchdog::Watchdog(double patience_seconds, std::function<void(const std::string&)> say)
    : patience_seconds_(patience_seconds), say_(std::move(say)) {
  check(patience_seconds > 0, "a watchdog has patience");
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Watchdog::~Watchdog() {
  thread_.request_stop();
  stopped_.notify_all();
}

Watchdog::Wait::Wait(Watchdog* dog, const std::function<std::string()>& what) : dog_(dog) {
  if (dog_ != nullptr) {
    Watched watched{what(), SteadyClock().now(), dog_->patience_seconds_};
    const std::lock_guard lock(dog_->mutex_);
    number_ = dog_->next_number_++;
    dog_->waits_.emplace(number_, std::move(watched));
  }
}

Watchdog::Wait::~Wait() {
  if (dog_ != nullptr) {
    const std::lock_guard lock(dog_->mutex_);
    dog_->waits_.erase(number_);
  }
}

void Watchdog::watch(const std::stop_token& stop) {
  const SteadyClock clock;
  const std::chrono::duration<double> nap(patience_seconds_ / 4);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    (void)stopped_.wait_for(lock, stop, nap, [] { return false; });
    for (auto& [number, watched] : waits_) {
      const double waited = seconds_since(clock, watched.since);
      if (waited >= watched.next_seconds) {
        say_(fmt::format("waiting since {:.0f} s for {}", waited, watched.what));
        watched.next_seconds = 2 * waited;
      }
    }
  }
}

}  // namespace dreamgym
