// One HTTP request with a deadline, over libcurl.
//
// Thread safety: send() is reentrant; each call borrows a connection of its own and gives it back, so
// connections are kept alive between calls. A connection whose answer did not come whole is closed: what
// arrives later belongs to nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/expected.h"

namespace dreamgym {

struct HttpRequest {
  std::string url;                   ///< http or https
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;                  ///< "" = GET, else POST
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds timeout{120'000};  ///< of the whole exchange
  std::size_t max_response_bytes = std::size_t{64} << 20U;
};

struct HttpResponse {
  long status = 0;
  std::string body;
  std::string retry_after;  ///< the header's value; "" if there is none
};

struct HttpFailure {
  enum class Kind {
    kConnect,  ///< no connection, no such host
    kTimeout,  ///< the answer did not come in time
    kClosed,   ///< the connection broke before the answer was whole
    kTooLarge, ///< more than max_response_bytes
  };
  Kind kind = Kind::kConnect;
  std::string reason;
};

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Any status is a response. Redirects are not followed.
  /// @throws Error kConfig for what no second try can mend: a URL that is none, a certificate that is
  ///         refused.
  Expected<HttpResponse, HttpFailure> send(const HttpRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dreamgym
