// Says what happens on the wire while a verb waits for a server: silence looks like work.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "dreamgym/llm/endpoint/endpoint_chat.h"

namespace dreamgym {

/// While it lives, a thread looks at the server's counters every so often and says when requests failed and are
/// tried again, or when nothing came at all.
/// Thread safety: none; `say` is called on its own thread, one line a call.
class EndpointWatch {
 public:
  /// @param chat  borrowed.
  EndpointWatch(const EndpointChat& chat,
                std::chrono::milliseconds every,
                std::function<void(const std::string& line)> say);
  ~EndpointWatch();
  EndpointWatch(const EndpointWatch&) = delete;
  EndpointWatch& operator=(const EndpointWatch&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace dreamgym
