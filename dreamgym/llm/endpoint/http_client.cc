#include "dreamgym/llm/endpoint/http_client.h"

#include <curl/curl.h>

#include <mutex>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/mutex.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct CloseHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, CloseHandle>;

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// What curl's callbacks write to.
struct Exchange {
  HttpResponse response;
  std::size_t max_bytes = 0;
  bool too_large = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::size_t bytes = size * count;
  if (exchange.response.body.size() + bytes > exchange.max_bytes) {
    exchange.too_large = true;
    return 0;  // anything but the size given ends the transfer
  }
  exchange.response.body.append(data, bytes);
  return bytes;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  constexpr std::string_view kName = "retry-after:";
  const std::string_view line(data, size * count);
  if (to_lower(line.substr(0, kName.size())) == kName) {
    static_cast<Exchange*>(user)->response.retry_after = trim(line.substr(kName.size()));
  }
  return size * count;
}

HttpFailure::Kind failure_kind(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFailure::Kind::kTimeout;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpFailure::Kind::kConnect;
    default:
      return HttpFailure::Kind::kClosed;
  }
}

bool is_hopeless(CURLcode code) {
  return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CERTPROBLEM;
}

// curl takes its options through a variadic function; a wrong one is a bug of ours.
template <class T>
void set(CURL* handle, CURLoption option, T value) {
  check(curl_easy_setopt(handle, option, value) == CURLE_OK, "curl knows the option");
}

}  // namespace

struct HttpClient::Impl {
  Mutex mutex;
  std::vector<Handle> idle DREAMGYM_GUARDED_BY(mutex);

  Handle take() {
    {
      const MutexLock lock(mutex);
      if (!idle.empty()) {
        Handle handle = std::move(idle.back());
        idle.pop_back();
        return handle;
      }
    }
    Handle handle(curl_easy_init());
    if (!handle) {
      throw Error(ErrorKind::kIo, "libcurl can't make a connection handle", "is there memory left?");
    }
    return handle;
  }
  void give_back(Handle handle) {
    curl_easy_reset(handle.get());  // keeps its connections
    const MutexLock lock(mutex);
    idle.push_back(std::move(handle));
  }
};

HttpClient::HttpClient() : impl_(std::make_unique<Impl>()) {
  static std::once_flag started;
  std::call_once(started, [] {
    check(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl starts");
  });
}

HttpClient::~HttpClient() = default;

Expected<HttpResponse, HttpFailure> HttpClient::send(const HttpRequest& request) {
  Handle handle = impl_->take();
  Exchange exchange;
  exchange.max_bytes = request.max_response_bytes;
  std::unique_ptr<curl_slist, FreeList> headers;
  for (const std::string& header : request.headers) {
    headers.reset(curl_slist_append(headers.release(), header.c_str()));
  }
  CURL* const curl = handle.get();
  set(curl, CURLOPT_URL, request.url.c_str());
  set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  set(curl, CURLOPT_NOSIGNAL, 1L);
  set(curl, CURLOPT_FOLLOWLOCATION, 0L);
  set(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  set(curl, CURLOPT_ACCEPT_ENCODING, "");
  set(curl, CURLOPT_USERAGENT, "dreamgym");
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
  set(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  set(curl, CURLOPT_HTTPHEADER, headers.get());
  set(curl, CURLOPT_WRITEFUNCTION, &take_body);
  set(curl, CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
  set(curl, CURLOPT_HEADERFUNCTION, &take_header);
  set(curl, CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
  if (!request.body.empty()) {
    set(curl, CURLOPT_POST, 1L);
    set(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(curl, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) {
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &exchange.response.status);
    impl_->give_back(std::move(handle));
    return std::move(exchange.response);
  }
  if (is_hopeless(code)) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: {}", request.url, curl_easy_strerror(code)),
                "an endpoint is a URL such as http://localhost:8000/v1");
  }
  if (exchange.too_large) {
    return Unexpected<HttpFailure>(
        {HttpFailure::Kind::kTooLarge,
         fmt::format("the answer has more than {} bytes", request.max_response_bytes)});
  }
  return Unexpected<HttpFailure>({failure_kind(code), curl_easy_strerror(code)});
}

}  // namespace dreamgym
