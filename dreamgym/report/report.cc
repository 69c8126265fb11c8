#include "dreamgym/report/report.h"

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/report/internal/escape.h"
#include "dreamgym/report/internal/page_data.h"

namespace dreamgym {
namespace {

// Text between placeholders like "{{data}}", each replaced by its value; values are not searched.
std::string fill(std::string_view page,
                 const std::function<std::string(std::string_view name)>& value) {
  std::string filled;
  for (std::size_t begin = page.find("{{"); begin != std::string_view::npos;
       begin = page.find("{{")) {
    const std::size_t end = page.find("}}", begin);
    check(end != std::string_view::npos, "a placeholder of the page ends");
    filled += page.substr(0, begin);
    filled += value(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
  filled += page;
  return filled;
}

// Code can't end its own element.
std::string inline_code(std::string_view code) {
  return replace_all(code, "</script", "<\\/script");
}

}  // namespace

std::string render_report(const RunContents& contents, const ReportOptions& options) {
  return fill(report_internal::page_html(), [&](std::string_view name) -> std::string {
    if (name == "title") {
      return report_internal::escape_html(contents.name);
    }
    if (name == "css") {
      return std::string(report_internal::page_css());
    }
    if (name == "chart_js") {
      return inline_code(report_internal::chart_js());
    }
    if (name == "data") {
      return report_internal::page_data(contents, options);
    }
    check(name == "js", "the placeholder is known");
    return inline_code(report_internal::page_js());
  });
}

void write_report(const Path& run_folder, const ReportOptions& options) {
  const RunContents contents = read_run_folder(run_folder, options.read);
  write_file(run_folder / "report.html", render_report(contents, options));
}

}  // namespace dreamgym
