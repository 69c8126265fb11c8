// The data of the page as JSON that may stand inside a <script> element.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/report/report.h"

namespace dreamgym::report_internal {

/// JSON with '<', '>' and '&' written as \u003c etc., so that no text can end the element.
std::string page_data(const RunContents& contents, const ReportOptions& options);

/// The page's own files (dreamgym/report/page, and Chart.js), built into the program.
std::string_view page_html();
std::string_view page_css();
std::string_view page_js();
std::string_view chart_js();

}  // namespace dreamgym::report_internal
