// Progress on stderr: a bar with rate and time left on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <string>

#include "dreamgym/base/progress.h"

namespace dreamgym {

/// Thread safety: one thread at a time.
class TerminalProgress final : public ProgressSink {
 public:
  TerminalProgress();
  void begin(std::string_view what, std::size_t total, std::string_view unit) override;
  void resume(std::size_t done) override;
  void advance(std::size_t done, std::string_view remark) override;
  void end(std::string_view remark) override;
  void note(std::string_view line) override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::string_view remark, bool last);

  bool terminal_;
  std::string what_;
  std::string unit_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t resumed_ = 0;  // of done_, by an earlier process
  std::size_t depth_ = 0;  // work inside work is not drawn
  Clock::time_point start_;
  Clock::time_point drawn_;
};

}  // namespace dreamgym
