// Says who waits for what when a rollout stands still.
//
// Thread safety: wait() from any thread; `say` is called from the watchdog's own thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace dreamgym {

class Watchdog {
 public:
  /// @param patience_seconds  > 0; a wait is told of when it has lasted this long, then each time
  ///                          it has doubled.
  Watchdog(double patience_seconds, std::function<void(const std::string&)> say);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// While it lives, somebody waits for what it was made with.
  class Wait {
   public:
    /// @param dog  borrowed; null = nobody watches.
    Wait(Watchdog* dog, const std::function<std::string()>& what);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Watchdog* dog_;
    std::uint64_t number_ = 0;
  };

 private:
  struct Watched {
    std::string what;
    std::chrono::nanoseconds since{};
    double next_seconds = 0;  // of waiting, when it is told of
  };

  void watch(const std::stop_token& stop);

  double patience_seconds_;
  std::function<void(const std::string&)> say_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::map<std::uint64_t, Watched> waits_;  // guarded by mutex_
  std::uint64_t next_number_ = 1;           // guarded by mutex_
  std::jthread thread_;
};

}  // namespace dreamgym
