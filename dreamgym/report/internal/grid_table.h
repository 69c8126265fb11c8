// Tables and numbers of a grid, as Markdown and HTML.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/report/results.h"

namespace dreamgym::report_internal {

using Cells = std::vector<std::string>;

struct Table {
  std::string caption;
  Cells header;
  std::vector<Cells> rows;
};

std::string markdown(const Table& table);
std::string html(const Table& table);

std::string percent(double share);              ///< "71.4"
std::string percent(const Interval& interval);  ///< "71.4 [67.3, 75.2]"
std::string points(double share);               ///< "+3.1"
std::string points(const Interval& interval);
std::string count_text(double value);           ///< "16,123"

}  // namespace dreamgym::report_internal
