// A small HTTP server on the loopback that answers as it is told, faults included: for tests of clients.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "dreamgym/base/text.h"

namespace dreamgym {

struct FaultRequest {
  std::string path;     ///< e.g. "/v1/chat/completions"
  std::string head;     ///< request line and headers
  std::string body;
  std::size_t number = 0;  ///< in the order they came, from 0
};

struct FaultReply {
  enum class Fault {
    kNone,
    kStall,  ///< no answer until the client goes away
    kCut,    ///< the head, half of the body, then the end of the connection
    kReset,  ///< the connection is reset without an answer
  };
  int status = 200;
  std::string body{};
  std::string headers{};  ///< further ones, each ended by \r\n
  Fault fault = Fault::kNone;
  std::function<void()> before{};  ///< called before the answer goes out, of several requests at once
};

class FaultServer {
 public:
  /// Called for one request at a time.
  using Handler = std::function<FaultReply(const FaultRequest& request)>;

  explicit FaultServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, plain, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, plain, &size) != 0) {
      throw std::runtime_error("the fault server can't listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~FaultServer() {
    stopping_ = true;
    acceptor_.request_stop();
    acceptor_.join();
    connections_.clear();  // joins
    ::close(listener_);
  }
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/v1", port_); }
  [[nodiscard]] std::size_t num_requests() const { return num_requests_; }

 private:
  static constexpr int kPollMilliseconds = 20;

  /// Waits until there is something to read; false once the server stops.
  [[nodiscard]] bool readable(int socket) const {
    pollfd entry{socket, POLLIN, 0};
    while (!stopping_) {
      if (::poll(&entry, 1, kPollMilliseconds) > 0) {
        return true;
      }
    }
    return false;
  }

  void accept_all(const std::stop_token& stop) {
    while (!stop.stop_requested() && readable(listener_)) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket >= 0) {
        connections_.emplace_back([this, socket] {
          while (serve_one(socket)) {
          }
          ::close(socket);
        });
      }
    }
  }

  /// @return whether the connection may be used again.
  bool serve_one(int socket) {
    std::string bytes;
    std::size_t head_end = std::string::npos;
    std::size_t wanted = 0;
    while (head_end == std::string::npos || bytes.size() < wanted) {
      char buffer[4096];
      if (!readable(socket)) {
        return false;
      }
      const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
      if (got <= 0) {
        return false;
      }
      bytes.append(buffer, static_cast<std::size_t>(got));
      head_end = bytes.find("\r\n\r\n");
      if (head_end != std::string::npos) {
        wanted = head_end + 4 + content_length(to_lower(bytes.substr(0, head_end)));
      }
    }
    FaultRequest request;
    request.head = bytes.substr(0, head_end);
    request.body = bytes.substr(head_end + 4, wanted - head_end - 4);
    const auto line = words(request.head.substr(0, request.head.find('\r')));
    request.path = line.size() > 1 ? line[1] : "";
    FaultReply reply;
    {
      const std::scoped_lock lock(mutex_);
      request.number = num_requests_++;
      reply = handler_(request);
    }
    if (reply.before) {
      reply.before();
    }
    return answer(socket, reply);
  }

  static std::size_t content_length(const std::string& head) {
    constexpr std::string_view kName = "content-length:";
    const std::size_t at = head.find(kName);
    return at == std::string::npos
               ? 0
               : static_cast<std::size_t>(std::atoi(head.c_str() + at + kName.size()));
  }

  bool answer(int socket, const FaultReply& reply) {
    using Fault = FaultReply::Fault;
    if (reply.fault == Fault::kStall) {
      (void)readable(socket);  // the client's end of the connection
      return false;
    }
    if (reply.fault == Fault::kReset) {
      const linger at_once{1, 0};
      ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      return false;
    }
    std::string text = fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n",
                                   reply.status,
                                   reply.body.size(),
                                   reply.headers);
    const bool cut = reply.fault == Fault::kCut;
    text += cut ? reply.body.substr(0, reply.body.size() / 2) : reply.body;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t now = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) {
        return false;
      }
      sent += static_cast<std::size_t>(now);
    }
    return !cut;
  }

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::atomic<std::size_t> num_requests_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::jthread> connections_;
  std::jthread acceptor_;
};

/// A chat answer of the OpenAI API.
inline std::string chat_answer(const std::string& content) {
  std::string quoted;
  for (const char c : content) {
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? "\\n" : std::string{c};
  }
  return R"({"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":")" +
         quoted +
         R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14}})";
}

}  // namespace dreamgym
