#include "dreamgym/report/internal/grid_table.h"

#include <fmt/format.h>

#include "dreamgym/base/text.h"
#include "dreamgym/report/internal/escape.h"

namespace dreamgym::report_internal {

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string points(double share) { return fmt::format("{:+.1f}", 100 * share); }

std::string percent(const Interval& interval) {
  return fmt::format(
      "{:.1f} [{:.1f}, {:.1f}]", 100 * interval.value, 100 * interval.low, 100 * interval.high);
}

std::string points(const Interval& interval) {
  return fmt::format(
      "{:+.1f} [{:+.1f}, {:+.1f}]", 100 * interval.value, 100 * interval.low, 100 * interval.high);
}

std::string count_text(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string markdown(const Table& table) {
  std::string out = fmt::format("**{}**\n\n| {} |\n|", table.caption, join(table.header, " | "));
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += "---|";
  }
  out += "\n";
  for (const Cells& row : table.rows) {
    out += fmt::format("| {} |\n", join(row, " | "));
  }
  return out + "\n";
}

std::string html(const Table& table) {
  std::string out =
      fmt::format("<section><h2>{}</h2><div class=\"scroll\"><table><thead><tr>",
                  escape_html(table.caption));
  for (const std::string& cell : table.header) {
    out += fmt::format("<th scope=\"col\">{}</th>", escape_html(cell));
  }
  out += "</tr></thead><tbody>";
  for (const Cells& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = escape_html(row[i]);
      out += i == 0 ? fmt::format("<tr><th scope=\"row\">{}</th>", text)
                    : fmt::format("<td>{}</td>", text);
    }
    out += "</tr>";
  }
  return out + "</tbody></table></div></section>";
}

}  // namespace dreamgym::report_internal
