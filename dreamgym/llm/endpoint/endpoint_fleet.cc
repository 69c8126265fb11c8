#include "dreamgym/llm/endpoint/endpoint_fleet.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/mutex.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/endpoint/circuit_breaker.h"
#include "dreamgym/llm/endpoint/http_client.h"
#include "dreamgym/llm/endpoint/retry.h"

namespace dreamgym {
namespace {

using Nanoseconds = std::chrono::nanoseconds;
using Json = nlohmann::json;

constexpr const char* kDefaultKeyVariable = "OPENAI_API_KEY";

Nanoseconds seconds(double value) {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(value));
}

std::chrono::milliseconds milliseconds(Nanoseconds value) {
  return std::max(std::chrono::milliseconds(1),
                  std::chrono::duration_cast<std::chrono::milliseconds>(value));
}

void check_config(const EndpointConfig& config) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kConfig, "endpoint: " + what);
  };
  if (config.urls.empty()) {
    refuse("no URL, expected at least one such as http://localhost:8000/v1");
  }
  for (const auto& [name, value] : {std::pair("timeout_seconds", config.timeout_seconds),
                                    std::pair("connect_timeout_seconds", config.connect_timeout_seconds),
                                    std::pair("deadline_seconds", config.deadline_seconds)}) {
    if (!(value > 0 && value < 1e6)) {
      refuse(fmt::format("{} is {}, expected a number above 0 and below 1e6", name, value));
    }
  }
  if (!(config.first_backoff_seconds >= 0 && config.largest_backoff_seconds >= 0 &&
        config.breaker_seconds >= 0)) {
    refuse("a pause is negative");
  }
  if (config.max_attempts == 0 || config.breaker_failures == 0 || config.concurrency == 0) {
    refuse("max_attempts, breaker_failures and concurrency must be at least 1");
  }
}

std::string key_of(const EndpointConfig& config) {
  if (config.api_key_variable.empty()) {
    return "";
  }
  const char* const key = std::getenv(config.api_key_variable.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (key == nullptr && config.api_key_variable != kDefaultKeyVariable) {
    throw Error(ErrorKind::kConfig,
                fmt::format("endpoint: the environment variable {} is not set", config.api_key_variable),
                "export it, or name another one; \"\" sends no key");
  }
  return key == nullptr ? "" : key;
}

// The server's own words: {"error": {"message": ...}}, {"error": "..."}, {"message": ...}, or the body.
std::string words_of(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_object()) {
    const Json error = json.value("error", json);
    if (error.is_string()) {
      return shorten(error.get<std::string>(), 300);
    }
    if (error.is_object() && error.contains("message") && error["message"].is_string()) {
      return shorten(error["message"].get<std::string>(), 300);
    }
  }
  return shorten(body, 300);
}

}  // namespace

std::string to_text(const EndpointCounters& counters) {
  return fmt::format(
      "{} calls, {} attempts, {} given up; faults: {} no connection, {} timeouts, {} broken off, "
      "{} throttled, {} server errors, {} bad answers, {} refused; breaker opened {} times",
      counters.calls,
      counters.attempts,
      counters.given_up,
      counters.no_connection,
      counters.timeouts,
      counters.broken_off,
      counters.throttled,
      counters.server_errors,
      counters.bad_answers,
      counters.refused,
      counters.breaker_openings);
}

struct EndpointFleet::Impl {
  struct Server {
    std::string url;
    CircuitBreaker breaker;
    std::size_t outstanding = 0;
  };
  // An attempt that did not succeed: why, and how long the server wants to be left alone.
  struct Fault {
    std::string reason;
    std::optional<Nanoseconds> wanted_pause;
    bool is_final = false;  // asking again can't help
  };

  Impl(EndpointConfig settings, const Clock& time, Wait waiting)
      : config(std::move(settings)), clock(time), wait(std::move(waiting)) {
    check_config(config);
    key = key_of(config);
    for (std::string url : config.urls) {
      while (url.ends_with('/')) {
        url.pop_back();
      }
      servers.push_back({std::move(url),
                         CircuitBreaker(config.breaker_failures, seconds(config.breaker_seconds)),
                         0});
    }
  }

  // The server to ask now; nothing if none may be asked, and then when one may.
  std::optional<std::size_t> choose(Nanoseconds& allowed_from) {
    const MutexLock lock(mutex);
    const Nanoseconds now = clock.now();
    std::optional<std::size_t> best;
    allowed_from = Nanoseconds::max();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const Server& server = servers[i];
      if (!server.breaker.allows(now)) {
        // On trial: its outcome is worth waiting for.
        allowed_from = std::min(allowed_from, std::max(server.breaker.allowed_from(), now + kTrialWait));
        continue;
      }
      const auto rank = [&](const Server& s) {
        return std::pair(s.outstanding, s.breaker.failures_in_a_row());
      };
      if (!best || rank(server) < rank(servers[*best])) {
        best = i;
      }
    }
    if (best) {
      servers[*best].breaker.begin(now);
      ++servers[*best].outstanding;
      ++counters.attempts;
    }
    return best;
  }

  Expected<Json, Fault> attempt(std::size_t index,
                                const std::string& path,
                                const std::string& body,
                                Nanoseconds left,
                                const Accept& accept) {
    HttpRequest request;
    request.url = servers[index].url + path;
    request.headers = {"Content-Type: application/json"};
    if (!key.empty()) {
      request.headers.push_back("Authorization: Bearer " + key);
    }
    request.body = body;
    request.connect_timeout = milliseconds(seconds(config.connect_timeout_seconds));
    request.timeout = milliseconds(std::min(left, seconds(config.timeout_seconds)));
    try {
      const auto response = http.send(request);
      if (!response) {
        return fail(index, counter_of(response.error().kind), response.error().reason, {});
      }
      return judge(index, *response, request.url, accept);
    } catch (...) {
      const MutexLock lock(mutex);
      --servers[index].outstanding;
      servers[index].breaker.succeed();  // the server is not to blame
      throw;
    }
  }

  Expected<Json, Fault> judge(std::size_t index,
                              const HttpResponse& response,
                              const std::string& url,
                              const Accept& accept) {
    if (is_retryable_status(response.status)) {
      const bool throttled = response.status == 429;
      const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      return fail(index,
                  throttled ? &EndpointCounters::throttled : &EndpointCounters::server_errors,
                  fmt::format("HTTP {}: {}", response.status, words_of(response.body)),
                  parse_retry_after(response.retry_after, now));
    }
    if (response.status == 400 || response.status == 413 || response.status == 422) {
      auto refused = fail(index,
                          &EndpointCounters::refused,
                          fmt::format("HTTP {}: {}", response.status, words_of(response.body)),
                          {});
      refused.error().is_final = true;
      return refused;
    }
    if (response.status < 200 || response.status > 299) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: HTTP {}: {}", url, response.status, words_of(response.body)),
                  response.status == 401 || response.status == 403
                      ? "check the key in " + config.api_key_variable
                      : "check the URL and the model's name (GET URL/models lists the server's)");
    }
    Json answer = Json::parse(response.body, nullptr, false);
    if (answer.is_discarded()) {
      return fail(index, &EndpointCounters::bad_answers, "the answer is not JSON", {});
    }
    if (const auto accepted = accept(answer); !accepted) {
      return fail(index, &EndpointCounters::bad_answers, accepted.error(), {});
    }
    const MutexLock lock(mutex);
    --servers[index].outstanding;
    servers[index].breaker.succeed();
    ++counters.successes;
    return answer;
  }

  Unexpected<Fault> fail(std::size_t index,
                         std::size_t EndpointCounters::*counter,
                         std::string reason,
                         std::optional<Nanoseconds> wanted_pause) {
    const MutexLock lock(mutex);
    Server& server = servers[index];
    --server.outstanding;
    ++(counters.*counter);
    const std::size_t openings = server.breaker.num_openings();
    if (counter == &EndpointCounters::throttled || counter == &EndpointCounters::refused) {
      server.breaker.succeed();  // alive
    } else {
      server.breaker.fail(clock.now());
    }
    if (wanted_pause) {
      server.breaker.pause_until(clock.now() + *wanted_pause);
    }
    counters.breaker_openings += server.breaker.num_openings() - openings;
    return Unexpected<Fault>({fmt::format("{}: {}", server.url, reason), wanted_pause, false});
  }

  Unexpected<ModelFailure> give_up(ModelFailure::Kind kind, const std::string& reason) {
    const MutexLock lock(mutex);
    ++counters.given_up;
    return Unexpected<ModelFailure>({kind, reason});
  }

  static std::size_t EndpointCounters::*counter_of(HttpFailure::Kind kind) {
    switch (kind) {
      case HttpFailure::Kind::kConnect:
        return &EndpointCounters::no_connection;
      case HttpFailure::Kind::kTimeout:
        return &EndpointCounters::timeouts;
      case HttpFailure::Kind::kClosed:
        return &EndpointCounters::broken_off;
      case HttpFailure::Kind::kTooLarge:
        return &EndpointCounters::bad_answers;
    }
    return &EndpointCounters::broken_off;
  }

  static constexpr Nanoseconds kTrialWait = std::chrono::milliseconds(20);

  EndpointConfig config;
  const Clock& clock;
  Wait wait;
  std::string key;
  HttpClient http;
  mutable Mutex mutex;
  std::vector<Server> servers;  // url is constant; the rest under the mutex
  EndpointCounters counters DREAMGYM_GUARDED_BY(mutex);
};

namespace {

const SteadyClock& machine_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace

EndpointFleet::EndpointFleet(EndpointConfig config)
    : EndpointFleet(std::move(config), machine_clock(), [](Nanoseconds duration) {
        std::this_thread::sleep_for(duration);
      }) {}

EndpointFleet::EndpointFleet(EndpointConfig config, const Clock& clock, Wait wait)
    : impl_(std::make_unique<Impl>(std::move(config), clock, std::move(wait))) {}

EndpointFleet::~EndpointFleet() = default;

Expected<Json, ModelFailure> EndpointFleet::call(const std::string& path,
                                                 const std::string& body,
                                                 const Accept& accept) {
  Impl& impl = *impl_;
  std::uint64_t number = 0;
  {
    const MutexLock lock(impl.mutex);
    number = impl.counters.calls++;
  }
  Rng rng = Rng(hash_text(body)).fork("backoff", number);
  const Nanoseconds deadline = impl.clock.now() + seconds(impl.config.deadline_seconds);
  std::string reason = "no server may be asked before the deadline";
  for (std::size_t attempt = 1; attempt <= impl.config.max_attempts;) {
    Nanoseconds pause{0};
    if (const auto index = impl.choose(pause)) {
      const Nanoseconds left = deadline - impl.clock.now();
      auto answer = impl.attempt(*index, path, body, left, accept);
      if (answer) {
        return std::move(*answer);
      }
      if (answer.error().is_final) {
        return impl.give_up(ModelFailure::Kind::kBadReply, answer.error().reason);
      }
      reason = fmt::format("{} (attempt {})", answer.error().reason, attempt);
      ++attempt;
      // A server that names its own pause is left alone by its breaker; another may be asked at once.
      pause = answer.error().wanted_pause
                  ? Nanoseconds(0)
                  : backoff(seconds(impl.config.first_backoff_seconds),
                            seconds(impl.config.largest_backoff_seconds),
                            attempt - 1,
                            rng);
    } else {
      pause -= impl.clock.now();
    }
    if (impl.clock.now() + pause >= deadline) {
      break;
    }
    if (pause > Nanoseconds(0) && attempt <= impl.config.max_attempts) {
      impl.wait(pause);
    }
  }
  return impl.give_up(ModelFailure::Kind::kUnavailable, reason);
}

EndpointCounters EndpointFleet::counters() const {
  const MutexLock lock(impl_->mutex);
  return impl_->counters;
}

const EndpointConfig& EndpointFleet::config() const { return impl_->config; }

}  // namespace dreamgym
