#include "dreamgym/report/grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/report/internal/escape.h"
#include "dreamgym/report/internal/grid_figures.h"
#include "dreamgym/report/internal/grid_table.h"

namespace dreamgym {
namespace {

using report_internal::Cells;
using report_internal::count_text;
using report_internal::html;
using report_internal::markdown;
using report_internal::percent;
using report_internal::points;
using report_internal::Table;

template <class Each>
std::string joined(const std::vector<double>& values, const Each& each) {
  Cells parts;
  for (const double value : values) {
    parts.push_back(each(value));
  }
  return parts.empty() ? "-" : join(parts, " / ");
}

// "0 real data" is never printed bare: what the experience model has read is real too.
std::string real_text(const GridRow& row) {
  if (row.offline_steps > 0 && row.online_steps == 0) {
    return fmt::format("0 online real steps (experience model saw {} offline transitions)",
                       count_text(row.offline_steps));
  }
  if (row.online_steps > 0) {
    return fmt::format(
        "{} online, {} offline", count_text(row.online_steps), count_text(row.offline_steps));
  }
  return "none";
}

Table success_table(const Grid& grid) {
  Table table{"Real success, percent",
              {"method",
               fmt::format("published: {}", join(grid.backbones, " / ")),
               "published real transitions",
               fmt::format("here: {}", grid.our_backbone),
               "each seed",
               "tasks a seed",
               "real transitions here"},
              {}};
  for (const GridRow& row : grid.rows) {
    const bool is_run = !row.seeds.empty();
    table.rows.push_back({row.method,
                          joined(row.published, [](double v) { return percent(v); }),
                          row.published_real.empty() ? "-" : row.published_real,
                          is_run ? percent(row.success) : "not run",
                          joined(row.seeds, [](double v) { return percent(v); }),
                          is_run ? fmt::format("{}", row.num_tasks) : "-",
                          is_run ? real_text(row) : "-"});
  }
  return table;
}

Table cost_table(const Grid& grid) {
  Table table{"What it cost, mean of the seeds",
              {"method",
               "online real steps",
               "dreamed steps",
               "tokens",
               "seconds in all",
               "own rollouts, s",
               "own updates, s",
               "peak memory"},
              {}};
  for (const GridRow& row : grid.rows) {
    if (!row.seeds.empty()) {
      table.rows.push_back(
          {row.method,
           count_text(row.online_steps),
           count_text(row.dreamed_steps),
           fmt::format("{:.1f} M", row.tokens / 1e6),
           count_text(row.seconds),
           count_text(row.rollout_seconds),
           count_text(row.update_seconds),
           fmt::format("{:.0f} MiB", static_cast<double>(row.peak_bytes) / (1 << 20))});
    }
  }
  return table;
}

Table pair_table(const Grid& grid) {
  Table table{"Paired differences on the same tasks, points",
              {"difference", "each seed", "mean of seeds, 95% t", "all tasks, 95%", "sign test p"},
              {}};
  for (const GridPair& pair : grid.pairs) {
    table.rows.push_back({pair.a + " - " + pair.b,
                          joined(pair.seeds, [](double v) { return points(v); }),
                          pair.over_seeds ? points(*pair.over_seeds) : "one seed",
                          points(pair.pooled),
                          pair.p_value < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", pair.p_value)});
  }
  return table;
}

// A bar a row for the mean here with its interval, a dot for each published backbone.
std::string chart(const Grid& grid) {
  constexpr int kRow = 34;
  constexpr int kWidth = 560;
  constexpr int kLetter = 7;  // pixels, more or less, of a letter of the labels
  std::size_t longest = 30;
  for (const GridRow& row : grid.rows) {
    longest = std::max(longest, row.method.size());
  }
  const int left = 20 + kLetter * static_cast<int>(longest);
  const auto x = [&](double share) { return left + kWidth * std::clamp(share, 0.0, 1.0); };
  std::string out;
  int y = 30;
  for (int tick = 0; tick <= 100; tick += 20) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"20\" y2=\"{1}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"14\" text-anchor=\"middle\">{2}</text>",
        x(tick / 100.0),
        20 + kRow * static_cast<int>(grid.rows.size()),
        tick);
  }
  for (const GridRow& row : grid.rows) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                       left - 10,
                       y + 9,
                       report_internal::escape_html(row.method));
    if (!row.seeds.empty()) {
      out += fmt::format(
          "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"12\"/>"
          "<line class=\"whisker\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>",
          left,
          y - 2,
          x(row.success.value) - left,
          x(row.success.low),
          x(row.success.high),
          y + 4,
          y + 4);
    }
    for (const double published : row.published) {
      out += fmt::format("<circle class=\"paper\" cx=\"{:.1f}\" cy=\"{}\" r=\"4\"/>",
                         x(published),
                         y + 15);
    }
    y += kRow;
  }
  return fmt::format(
      "<section><h2>At a glance</h2><p>Bars: here, with 95% intervals. Dots: as published, one a "
      "backbone. Percent of tasks solved in reality.</p><div class=\"scroll\"><svg role=\"img\" "
      "aria-label=\"Success of each method here and as published; the numbers stand in the table "
      "below\" width=\"{}\" height=\"{}\">{}</svg></div></section>",
      left + kWidth + 30,
      y,
      out);
}

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--ink:#16191f;--soft:#667085;--line:#dfe3ea;--page:#f5f6f8;--card:#fff;--ours:#1d4ed8;--paper:#c2410c}
@media(prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#929cad;--line:#2b323d;--page:#0f1217;--card:#171b22;--ours:#7aa2ff;--paper:#ff9d5c}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
main{max-width:1200px;margin:0 auto;padding:24px}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 20px;margin:0 0 20px}
h1{font-size:1.7rem;margin:0 0 8px}h2{font-size:1.15rem;margin:0 0 10px}p{margin:0 0 10px}code{font-size:.9em}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600}
svg text{fill:var(--ink);font-size:13px}svg .tick{fill:var(--soft)}svg .grid{stroke:var(--line)}
svg .c0{--c:#1d4ed8}svg .c1{--c:#c2410c}svg .c2{--c:#0f766e}svg .c3{--c:#a21caf}svg .c4{--c:#b45309}svg .c5{--c:#4d7c0f}svg .c6{--c:#be123c}svg .c7{--c:#0369a1}
svg polyline{fill:none;stroke:var(--c);stroke-width:2}svg .dreamed{stroke-dasharray:6 4}svg .key{stroke:var(--c);stroke-width:3}
svg .bar{fill:var(--ours);opacity:.75}svg .whisker{stroke:var(--ink);stroke-width:2}svg .paper{fill:var(--paper)}
)css";

}  // namespace

std::string grid_markdown(const Grid& grid) {
  std::string out = fmt::format("# {}\n\n`{}`\n\n", grid.title, grid.command);
  out += markdown(success_table(grid));
  out += markdown(cost_table(grid));
  if (!grid.pairs.empty()) {
    out += markdown(pair_table(grid));
  }
  for (const Table& table : report_internal::figure_tables(grid)) {
    out += markdown(table);
  }
  for (const std::string& note : grid.notes) {
    out += fmt::format("- {}\n", note);
  }
  return out;
}

std::string grid_html(const Grid& grid) {
  using report_internal::escape_html;
  std::string notes;
  for (const std::string& note : grid.notes) {
    notes += fmt::format("<li>{}</li>", escape_html(note));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>{0}</title><style>{1}</style></head>"
      "<body><main><h1>{0}</h1><p><code>{2}</code></p>{3}{4}{5}{6}{7}<section><h2>How to read it</h2>"
      "<ul>{8}</ul></section></main></body></html>\n",
      escape_html(grid.title),
      kStyle,
      escape_html(grid.command),
      chart(grid),
      html(success_table(grid)),
      html(cost_table(grid)),
      grid.pairs.empty() ? "" : html(pair_table(grid)),
      report_internal::figures(grid),
      notes);
}

}  // namespace dreamgym
