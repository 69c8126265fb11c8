#include "dreamgym/report/internal/grid_figures.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/report/internal/escape.h"

namespace dreamgym::report_internal {
namespace {

double mean_success(std::span<const GridCurve::Point> points) {
  double sum = 0;
  for (const GridCurve::Point& point : points) {
    sum += point.success;
  }
  return points.empty() ? 0.0 : sum / static_cast<double>(points.size());
}

Table curve_table(const Grid& grid) {
  Table table{"While it trained: success of the rollouts on training tasks, one seed",
              {"method", "by the word of", "first third", "last third", "seconds at the start",
               "seconds at the end", "online real steps"},
              {}};
  for (const GridCurve& curve : grid.curves) {
    const std::span<const GridCurve::Point> points = curve.points;
    const std::size_t third = std::max<std::size_t>(1, points.size() / 3);
    table.rows.push_back({curve.method,
                          curve.dreamed ? "the dream" : "reality",
                          percent(mean_success(points.first(third))),
                          percent(mean_success(points.last(third))),
                          count_text(points.front().seconds),
                          count_text(points.back().seconds),
                          count_text(points.back().online_steps)});
  }
  return table;
}

Table transfer_table(const Grid& grid) {
  Table table{fmt::format("Transfer to {}: real success there, percent", grid.transfer_world),
              {"policy", "success", "each seed", "tasks a seed", "mean return"},
              {}};
  for (const GridTransfer& row : grid.transfers) {
    Cells seeds;
    for (const double seed : row.seeds) {
      seeds.push_back(percent(seed));
    }
    table.rows.push_back({row.policy,
                          percent(row.success),
                          join(seeds, " / "),
                          fmt::format("{}", row.num_tasks),
                          fmt::format("{:.3f}", row.mean_return)});
  }
  return table;
}

// One chart of all curves over `value` of their points.
template <class Value>
std::string curve_chart(const Grid& grid, const std::string& title, const Value& value) {
  constexpr int kLeft = 46;
  constexpr int kWidth = 620;
  constexpr int kHeight = 260;
  double most = 0;
  for (const GridCurve& curve : grid.curves) {
    most = std::max(most, value(curve.points.back()));
  }
  if (most <= 0) {
    return "";
  }
  const auto y = [&](double success) { return 10 + kHeight * (1 - std::clamp(success, 0.0, 1.0)); };
  std::string out;
  for (int tick = 0; tick <= 100; tick += 25) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"tick\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
        kLeft,
        kLeft + kWidth,
        y(tick / 100.0),
        kLeft - 6,
        y(tick / 100.0) + 4,
        tick);
  }
  for (int quarter = 0; quarter <= 4; ++quarter) {
    out += fmt::format(
        "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        kLeft + kWidth * quarter / 4,
        kHeight + 28,
        count_text(most * quarter / 4));
  }
  int key = 0;
  for (const GridCurve& curve : grid.curves) {
    std::string path;
    for (const GridCurve::Point& point : curve.points) {
      path += fmt::format("{:.1f},{:.1f} ", kLeft + kWidth * value(point) / most, y(point.success));
    }
    const std::string kind = fmt::format("c{}{}", key % 8, curve.dreamed ? " dreamed" : "");
    out += fmt::format(
        "<polyline class=\"{0}\" points=\"{1}\"/><line class=\"key {0}\" x1=\"{2}\" x2=\"{3}\" "
        "y1=\"{4}\" y2=\"{4}\"/><text x=\"{5}\" y=\"{6}\">{7}</text>",
        kind,
        path,
        kLeft + kWidth + 20,
        kLeft + kWidth + 44,
        20 + 22 * key,
        kLeft + kWidth + 52,
        25 + 22 * key,
        escape_html(curve.method));
    ++key;
  }
  return fmt::format(
      "<h3>{0}</h3><div class=\"scroll\"><svg role=\"img\" aria-label=\"{0}; first and last thirds "
      "stand in the table\" width=\"{1}\" height=\"{2}\">{3}</svg></div>",
      escape_html(title),
      kLeft + kWidth + 320,
      std::max(kHeight + 40, 30 + 22 * key),
      out);
}

}  // namespace

std::vector<Table> figure_tables(const Grid& grid) {
  std::vector<Table> out;
  if (!grid.curves.empty()) {
    out.push_back(curve_table(grid));
  }
  if (!grid.transfers.empty()) {
    out.push_back(transfer_table(grid));
  }
  return out;
}

std::string figures(const Grid& grid) {
  std::string out;
  if (!grid.curves.empty()) {
    out += "<section><h2>While it trained</h2><p>Success of a method's own rollouts on training tasks, in "
           "percent, one seed. Dashed: by the word of the dream.</p>";
    out += curve_chart(grid, "Over wall time in seconds, everything it builds on included",
                       [](const GridCurve::Point& point) { return point.seconds; });
    out += curve_chart(grid, "Over online real steps",
                       [](const GridCurve::Point& point) { return point.online_steps; });
    out += "</section>";
  }
  for (const Table& table : figure_tables(grid)) {
    out += html(table);
  }
  return out;
}

}  // namespace dreamgym::report_internal
