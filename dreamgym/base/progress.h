// Progress of long work, reported by the library and drawn by whoever runs it.
#pragma once

#include <cstddef>
#include <string_view>

namespace dreamgym {

/// Thread safety: implementations take calls from one thread at a time.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// Work called `what` begins; `total` units of `unit` ("steps", "tokens"), 0 = unknown.
  virtual void begin(std::string_view what, std::size_t total, std::string_view unit) = 0;
  /// After begin(): so many units were done by an earlier process and don't count for the rate.
  virtual void resume(std::size_t done) = 0;
  /// `done` units so far; `remark` is a short text such as "loss 1.32".
  virtual void advance(std::size_t done, std::string_view remark) = 0;
  virtual void end(std::string_view remark) = 0;
  /// A line of its own, e.g. a warning or a result.
  virtual void note(std::string_view line) = 0;
};

/// Says nothing.
class SilentProgress final : public ProgressSink {
 public:
  void begin(std::string_view, std::size_t, std::string_view) override {}
  void resume(std::size_t) override {}
  void advance(std::size_t, std::string_view) override {}
  void end(std::string_view) override {}
  void note(std::string_view) override {}
};

}  // namespace dreamgym
