#include "dreamgym/apps/endpoint_watch.h"

#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

namespace dreamgym {
namespace {

void watch(const std::stop_token& stop,
           const EndpointChat& chat,
           std::chrono::milliseconds every,
           const std::function<void(const std::string&)>& say) {
  std::mutex mutex;
  std::condition_variable_any waiting;
  std::unique_lock lock(mutex);
  EndpointCounters before;
  while (!waiting.wait_for(lock, stop, every, [] { return false; }) && !stop.stop_requested()) {
    const EndpointCounters now = chat.counters();
    const std::size_t faults = now.faults() - before.faults();
    if (faults > 0) {
      say(fmt::format("{} requests failed in the last {:.0f} s and are tried again where that may help; so far: {}",
                      faults,
                      std::chrono::duration<double>(every).count(),
                      to_text(now)));
    } else if (now.successes == before.successes) {
      say(fmt::format("no answer in the last {:.0f} s", std::chrono::duration<double>(every).count()));
    }
    before = now;
  }
}

}  // namespace

EndpointWatch::EndpointWatch(const EndpointChat& chat,
                             std::chrono::milliseconds every,
                             std::function<void(const std::string&)> say)
    : thread_([&chat, every, say = std::move(say)](const std::stop_token& stop) { watch(stop, chat, every, say); }) {}

EndpointWatch::~EndpointWatch() = default;

}  // namespace dreamgym
