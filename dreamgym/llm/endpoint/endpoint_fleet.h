// Several servers of the same model as one: where to send a request, when to send it again, when to give up.
//
// A request goes to the server with the fewest requests outstanding among those whose breaker lets it
// through (of equals, the one with fewer failures in a row). What may succeed later (no connection, no
// answer in time, a broken one, 429, 5xx, an answer that is not what the API says) is asked again after a
// pause with jitter, at the server's own word (Retry-After) where it gives one; until the attempts or the
// deadline of the call are used up. A request the server refuses (400, 413, 422: too long, say) fails alone; a
// wrong key, URL or name (401, 403, 404 and the like) is an Error.
// Thread safety: call() is reentrant.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/expected.h"
#include "dreamgym/llm/chat_model.h"

namespace dreamgym {

struct EndpointConfig {
  std::vector<std::string> urls;            ///< e.g. "http://localhost:8000/v1"; not empty
  std::string model;                        ///< name the servers know it by
  /// Name of the environment variable that holds the key; "" = none is sent. Never the key itself.
  std::string api_key_variable = "OPENAI_API_KEY";
  double timeout_seconds = 120;             ///< of an attempt
  double connect_timeout_seconds = 10;
  double deadline_seconds = 600;            ///< of a call with all its attempts
  std::size_t max_attempts = 6;
  double first_backoff_seconds = 0.5;
  double largest_backoff_seconds = 30;
  std::size_t breaker_failures = 5;         ///< in a row until a server is left alone
  double breaker_seconds = 15;              ///< for this long
  std::size_t concurrency = 16;             ///< requests under way at once
};

/// What happened on the wire; attempts = successes + all the faults.
struct EndpointCounters {
  std::size_t calls = 0;
  std::size_t attempts = 0;
  std::size_t successes = 0;
  std::size_t no_connection = 0;
  std::size_t timeouts = 0;
  std::size_t broken_off = 0;     ///< the connection ended before the answer was whole
  std::size_t throttled = 0;      ///< 429
  std::size_t server_errors = 0;  ///< other statuses that may be tried again
  std::size_t bad_answers = 0;    ///< not JSON (or not UTF-8), or not what the API promises
  std::size_t refused = 0;        ///< 400, 413, 422: this request, by this server
  std::size_t given_up = 0;       ///< calls without an answer in the end
  std::size_t breaker_openings = 0;
  [[nodiscard]] std::size_t faults() const {
    return no_connection + timeouts + broken_off + throttled + server_errors + bad_answers +
           refused;
  }
};

/// One line for people.
std::string to_text(const EndpointCounters& counters);

class EndpointFleet {
 public:
  /// Waits that long; tests move a clock instead.
  using Wait = std::function<void(std::chrono::nanoseconds)>;
  /// Reads an answer; the reason if it is not what was promised.
  using Accept = std::function<Expected<void, std::string>(const nlohmann::json& answer)>;

  /// @throws Error kConfig for a list without URLs, a number outside its range, or an environment variable
  ///         that is named and not set (OPENAI_API_KEY may be missing: local servers want none).
  explicit EndpointFleet(EndpointConfig config);
  EndpointFleet(EndpointConfig config, const Clock& clock, Wait wait);
  ~EndpointFleet();

  /// @param path  below the URL, e.g. "/chat/completions". @param body  JSON.
  /// @throws Error kConfig with the server's own words for a status that no second try can mend.
  Expected<nlohmann::json, ModelFailure> call(const std::string& path,
                                              const std::string& body,
                                              const Accept& accept);

  [[nodiscard]] EndpointCounters counters() const;
  [[nodiscard]] const EndpointConfig& config() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dreamgym
