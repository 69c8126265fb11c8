#include "dreamgym/curriculum/task_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::string_view kHeader = "task-values 1";

std::string bits(double number) {
  return to_hex(std::bit_cast<std::uint64_t>(number));
}

[[noreturn]] void fail_line(std::size_t number, std::string_view line, std::string_view expected) {
  throw Error(
      ErrorKind::kCorrupt,
      fmt::format(
          "task values: line {} is \"{}\", expected {}", number, shorten(line, 80), expected),
      "the checkpoint is damaged; resume from the one before");
}

std::optional<std::uint64_t> parse_whole(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> parse_bits(std::string_view text) {
  const auto number = parse_whole(text, 16);
  if (!number || !std::isfinite(std::bit_cast<double>(*number))) {
    return std::nullopt;
  }
  return std::bit_cast<double>(*number);
}

void check_options(const TaskValueTracker::Options& options) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(options.prior_successes) || !positive(options.prior_failures)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task values: prior is Beta({}, {}), expected numbers above 0",
                            options.prior_successes,
                            options.prior_failures));
  }
  if (!(options.forgetting >= 0 && options.forgetting <= 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task values: forgetting is {}, expected 0 to 1", options.forgetting));
  }
}

}  // namespace

double group_variance(std::span<const double> returns) {
  double sum = 0;
  for (const double value : returns) {
    sum += value;
  }
  if (returns.empty() || !std::isfinite(sum)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("group variance: {} returns with sum {}, expected finite ones, at "
                            "least one",
                            returns.size(),
                            sum));
  }
  const auto count = static_cast<double>(returns.size());
  const double mean = sum / count;
  double squares = 0;
  for (const double value : returns) {
    squares += (value - mean) * (value - mean);
  }
  return squares / count;
}

TaskValueTracker::TaskValueTracker() : TaskValueTracker(Options{}) {}

TaskValueTracker::TaskValueTracker(Options options) : options_(options) {
  check_options(options_);
}

TaskValueTracker::TaskValueTracker(double forgetting)
    : TaskValueTracker(Options{.forgetting = forgetting}) {}

void TaskValueTracker::update(std::string_view key, std::span<const double> returns) {
  const double variance = group_variance(returns);
  double successes = 0;
  for (const double value : returns) {
    if (value < 0 || value > 1) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("task values: a return of task {} is {}, expected 0 to 1", key, value));
    }
    successes += value;
  }
  TaskStatistics& task = tasks_[std::string(key)];
  task.successes = options_.forgetting * task.successes + successes;
  task.failures =
      options_.forgetting * task.failures + (static_cast<double>(returns.size()) - successes);
  ++task.num_groups;
  task.last_variance = variance;
}

TaskValueTracker::Posterior TaskValueTracker::posterior(std::string_view key) const {
  Posterior posterior{options_.prior_successes, options_.prior_failures};
  const auto found = tasks_.find(key);
  if (found != tasks_.end()) {
    posterior.a += found->second.successes;
    posterior.b += found->second.failures;
  }
  return posterior;
}

double TaskValueTracker::value(std::string_view key) const {
  const auto [a, b] = posterior(key);
  return a * b / ((a + b) * (a + b + 1));
}

double TaskValueTracker::success_probability(std::string_view key) const {
  const auto [a, b] = posterior(key);
  return a / (a + b);
}

std::optional<TaskStatistics> TaskValueTracker::statistics(std::string_view key) const {
  const auto found = tasks_.find(key);
  return found == tasks_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<TaskValueTracker::Ranked> TaskValueTracker::ranking() const {
  std::vector<Ranked> ranked;
  ranked.reserve(tasks_.size());
  for (const auto& entry : tasks_) {
    ranked.push_back({entry.first, value(entry.first)});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& x, const Ranked& y) {
    return x.value > y.value;
  });
  return ranked;
}

std::string TaskValueTracker::save() const {
  std::string text = fmt::format("{}\n{} {} {} {}\n",
                                 kHeader,
                                 bits(options_.prior_successes),
                                 bits(options_.prior_failures),
                                 bits(options_.forgetting),
                                 tasks_.size());
  for (const auto& [key, task] : tasks_) {
    // The key stands last and may hold anything but a newline.
    check(key.find('\n') == std::string::npos, "a task key is one line");
    text += fmt::format("{} {} {} {} {}\n",
                        bits(task.successes),
                        bits(task.failures),
                        task.num_groups,
                        bits(task.last_variance),
                        key);
  }
  return text;
}

void TaskValueTracker::restore(std::string_view state) {
  const auto lines = split(state, '\n');
  if (lines[0] != kHeader) {
    fail_line(1, lines[0], fmt::format("\"{}\"", kHeader));
  }
  const auto options = lines.size() > 1 ? split(lines[1], ' ') : std::vector<std::string>{};
  const auto count = options.size() == 4 ? parse_whole(options[3], 10) : std::nullopt;
  if (!count || !parse_bits(options[0]) || !parse_bits(options[1]) || !parse_bits(options[2])) {
    fail_line(2, lines.size() > 1 ? lines[1] : "", "the options and the number of tasks");
  }
  TaskValueTracker tracker(
      Options{*parse_bits(options[0]), *parse_bits(options[1]), *parse_bits(options[2])});
  if (lines.size() != *count + 3 || !lines.back().empty()) {
    fail_line(lines.size(), lines.back(), fmt::format("{} tasks and an end of line", *count));
  }
  for (std::size_t i = 2; i < *count + 2; ++i) {
    std::string_view rest = lines[i];
    std::vector<std::string_view> fields;
    for (std::size_t space = 0; fields.size() < 4 && (space = rest.find(' ')) != rest.npos;) {
      fields.push_back(rest.substr(0, space));
      rest.remove_prefix(space + 1);
    }
    const bool whole = fields.size() == 4 && parse_bits(fields[0]) && parse_bits(fields[1]) &&
                       parse_whole(fields[2], 10) && parse_bits(fields[3]);
    if (!whole) {
      fail_line(i + 1, lines[i], "four numbers and a key");
    }
    tracker.tasks_[std::string(rest)] = {*parse_bits(fields[0]),
                                         *parse_bits(fields[1]),
                                         *parse_whole(fields[2], 10),
                                         *parse_bits(fields[3])};
  }
  *this = std::move(tracker);
}

bool TaskValueTracker::operator==(const TaskValueTracker& other) const {
  return options_.prior_successes == other.options_.prior_successes &&
         options_.prior_failures == other.options_.prior_failures &&
         options_.forgetting == other.options_.forgetting && tasks_ == other.tasks_;
}

}  // namespace dreamgym
