#include "dreamgym/apps/terminal_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace dreamgym {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr double kTerminalInterval = 0.1;  // seconds between drawings
constexpr double kPlainInterval = 15.0;

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string clock_text(double left) {
  const auto whole = static_cast<std::size_t>(std::max(0.0, left));
  return whole >= 3600 ? fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60)
                       : fmt::format("{}m{:02}s", whole / 60, whole % 60);
}

}  // namespace

TerminalProgress::TerminalProgress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void TerminalProgress::begin(std::string_view what, std::size_t total, std::string_view unit) {
  if (++depth_ > 1) {
    return;
  }
  what_ = what;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  resumed_ = 0;
  start_ = Clock::now();
  drawn_ = start_;
  if (!terminal_) {
    fmt::print(stderr, "{}: {} {}\n", what_, total_, unit_);
  }
}

void TerminalProgress::resume(std::size_t done) {
  if (depth_ == 1) {
    resumed_ = done;
    done_ = done;
  }
}

void TerminalProgress::advance(std::size_t done, std::string_view remark) {
  if (depth_ > 1) {
    return;
  }
  done_ = done;
  if (seconds(Clock::now() - drawn_) >= (terminal_ ? kTerminalInterval : kPlainInterval)) {
    draw(remark, false);
    drawn_ = Clock::now();
  }
}

void TerminalProgress::end(std::string_view remark) {
  if (depth_ == 1) {
    draw(remark, true);
  }
  depth_ = depth_ == 0 ? 0 : depth_ - 1;
}

void TerminalProgress::draw(std::string_view remark, bool last) {
  const double spent = seconds(Clock::now() - start_);
  const double rate = spent > 0 ? static_cast<double>(done_ - std::min(done_, resumed_)) / spent : 0.0;
  const double left =
      rate > 0 && total_ > done_ ? static_cast<double>(total_ - done_) / rate : 0.0;
  const std::string timing =
      last ? fmt::format("in {}", clock_text(spent)) : fmt::format("{} left", clock_text(left));
  if (!terminal_) {
    fmt::print(stderr, "{}: {}/{} {} ({:.1f}/s, {}) {}\n", what_, done_, total_, unit_, rate, timing, remark);
    return;
  }
  const std::size_t filled = total_ == 0 ? 0 : std::min(kBarWidth, kBarWidth * done_ / total_);
  std::string bar(filled, '#');
  bar.resize(kBarWidth, '.');
  fmt::print(stderr,
             "\r\033[K{} [{}] {}/{} {} {:.1f}/s {} {}{}",
             what_,
             bar,
             done_,
             total_,
             unit_,
             rate,
             timing,
             remark,
             last ? "\n" : "");
  std::fflush(stderr);
}

void TerminalProgress::note(std::string_view line) {
  fmt::print(stderr, "{}{}\n", terminal_ ? "\r\033[K" : "", line);
}

}  // namespace dreamgym
