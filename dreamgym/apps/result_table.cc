#include "dreamgym/apps/result_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dreamgym {
namespace {

std::string percent(const Interval& interval) {
  return fmt::format("{:5.1f} [{:.1f}, {:.1f}]", 100 * interval.value, 100 * interval.low, 100 * interval.high);
}

std::string title_of(const RunResults& results, const std::string& arm) {
  const auto found = std::find_if(
      results.arms.begin(), results.arms.end(), [&](const ArmResult& a) { return a.arm == arm; });
  return found == results.arms.end() ? arm : found->title;
}

}  // namespace

std::string results_table(const RunResults& results) {
  std::string out;
  const bool in_parts = std::ranges::any_of(
      results.arms, [](const ArmResult& arm) { return arm.mean_return.has_value(); });
  if (!results.arms.empty()) {
    out += fmt::format("{:<34} {:>20} {}{:>8} {:>11} {:>9}\n",
                       "arm",
                       "real success %",
                       in_parts ? " score % " : "",
                       "tasks",
                       "real steps",
                       "seconds");
  }
  for (const ArmResult& arm : results.arms) {
    out += fmt::format("{:<34} {:>20} {}{:>8} {:>11} {:>9.0f}\n",
                       arm.title,
                       percent(arm.success),
                       in_parts ? fmt::format("{:>8.1f} ", 100 * arm.mean_return.value_or(arm.success.value)) : "",
                       arm.num_tasks,
                       arm.real_steps,
                       arm.seconds);
  }
  if (!results.paired.empty()) {
    out += "\npaired difference, points (same tasks)\n";
  }
  for (const PairedResult& pair : results.paired) {
    out += fmt::format("{:<70} {:+.1f} [{:+.1f}, {:+.1f}]\n",
                       title_of(results, pair.a) + " - " + title_of(results, pair.b),
                       100 * pair.difference.value,
                       100 * pair.difference.low,
                       100 * pair.difference.high);
  }
  if (results.check) {
    out += "\nfree-running check: " + results.check->verdict + "\n";
  }
  for (const std::string& note : results.notes) {
    out += note + "\n";
  }
  return out;
}

std::string results_json_lines(const RunResults& results) {
  const auto whole = nlohmann::json::parse(to_json(results));
  std::string out;
  for (const char* list : {"arms", "paired"}) {
    for (auto row : whole.at(list)) {
      row["kind"] = std::string(list) == "arms" ? "arm" : "paired";
      out += row.dump() + "\n";
    }
  }
  if (whole.contains("check")) {
    auto row = whole["check"];
    row["kind"] = "check";
    out += row.dump() + "\n";
  }
  return out;
}

}  // namespace dreamgym
